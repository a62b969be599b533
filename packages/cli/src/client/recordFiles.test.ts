import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { openRecordFiles, recordFolder } from './recordFiles.ts'

const folder = mkdtempSync(join(tmpdir(), 'pit-records-'))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

it('keeps each record in a file of its owner, and lists by prefix', async () => {
  const records = openRecordFiles(join(folder, 'records'))
  expect(await records.list('')).toEqual([])
  expect(await records.read('session/0x1/a')).toBeNull()
  await records.write('session/0x1/a', 'one')
  await records.write('session/0x1/a', 'two')
  await records.write('agent/0x1/a', 'three')
  expect((await records.read('session/0x1/a'))?.trim()).toBe('two')
  expect(await records.list('session/')).toEqual(['session/0x1/a'])
  const files = readdirSync(join(folder, 'records'))
  expect(files).toHaveLength(2)
  for (const name of files) expect(statSync(join(folder, 'records', name)).mode & 0o077).toBe(0)
})

it('writes a key that looks like a path inside its folder', async () => {
  const records = openRecordFiles(join(folder, 'records'))
  await records.write('session/../../escaped', 'text')
  expect(readdirSync(folder)).toEqual(['records'])
})

it('separates a devnet that was made anew, and keeps a chain’s records when the co-signer changes', () => {
  const of = (kind: string, cosigner: string | null) =>
    recordFolder({ PIT_HOME: '/home' }, { profile: { kind, chain_id: 4663, cosigner } as never })
  expect(of('devnet', '0xA')).not.toBe(of('devnet', '0xB'))
  expect(of('mainnet', '0xA')).toBe(of('mainnet', '0xB'))
})
