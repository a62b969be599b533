import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { publint } from 'publint'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clientBytes, packClient } from './clientPackage.mjs'

// The published client. `e2e/docs.test.ts` installs its tarball, trades with it and compiles programs against it.

const MAX_BYTES = { alone: 120_000, withViem: 160_000 }

let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pit-client-'))
  await packClient(folder)
}, 300_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const read = (file: string) => readFileSync(join(folder, file), 'utf8')

describe('the published client', () => {
  it('needs viem and nothing else', () => {
    const files = readdirSync(folder).filter((file) => file.endsWith('.js'))
    const imported = files.flatMap((file) =>
      [...read(file).matchAll(/^(?:import|export)\b[^;]*?["']([^"'\n]+)["'];$/gm)].map(([, name]) => name!),
    )
    const chunks = files.map((file) => `./${file}`)
    expect(imported.filter((name) => !/^viem(\/|$)/.test(name) && !chunks.includes(name))).toEqual([])
    const { dependencies, peerDependencies } = JSON.parse(read('package.json'))
    expect([dependencies, Object.keys(peerDependencies)]).toEqual([undefined, ['viem']])
    const types = read('index.d.ts').replace(/\/\*\*[\s\S]*?\*\//g, '')
    expect(types).not.toMatch(/@pit\/|typebox/i)
  })

  it('has declarations with doc comments, in readable lines', () => {
    const lines = read('index.d.ts').split('\n')
    expect(lines.filter((line) => line.trim().startsWith('/**')).length).toBeGreaterThan(1_000)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(250)
  })

  it('has the licence of each npm package inside', () => {
    const licences = read('THIRD_PARTY_LICENSES')
    expect(licences).toMatch(
      /^@sinclair\/typebox [\d.]+: MIT\n\nTypeBox[\s\S]*?Permission is hereby granted/m,
    )
    expect(licences).not.toMatch(/^viem /m)
  })

  it('passes publint', async () => {
    const { messages } = await publint({ pkgDir: folder, strict: true })
    expect(messages).toEqual([])
  })

  it('passes attw', () => {
    const args = ['attw', '--pack', folder, '--profile', 'esm-only', '--format', 'json']
    expect(JSON.parse(execFileSync('npx', args, { encoding: 'utf8' })).analysis.types).toBeTruthy()
  }, 120_000)

  it('is small in a bundle, compressed', async () => {
    expect(await clientBytes({ withViem: false })).toBeLessThan(MAX_BYTES.alone)
    expect(await clientBytes({ withViem: true })).toBeLessThan(MAX_BYTES.withViem)
  })
})
