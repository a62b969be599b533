import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@pit/platform/clock'
import type { Operator } from '@pit/server/operator'
import { expect, it, onTestFinished } from 'vitest'
import { freezeSigner, signerAccessOf } from './tellSigner.ts'

const REASON = { operator: 'ada', reason: 'a key leaked' }

/** A signer that accepts or refuses. */
async function startSigner(status = 200): Promise<{ url: string; calls: string[] }> {
  const calls: string[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      calls.push(`${request.method} ${request.url} ${body}`)
      response.writeHead(status)
      response.end(status === 200 ? body : JSON.stringify({ error: { code: 'FORBIDDEN', message: 'No.' } }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls }
}

function noting({ fails = false } = {}) {
  const notes: unknown[] = []
  const operator: Operator = {
    async act({ input }) {
      if (fails) throw new Error('no store')
      notes.push(input)
      return {}
    },
  }
  const warned: string[] = []
  return { operator, notes, warned, warn: (line: string) => void warned.push(line) }
}
const secret = 's'.repeat(40)

it('is noted before and after', async () => {
  const signer = await startSigner()
  const { notes, ...rest } = noting()
  const deps = { ...rest, access: { url: signer.url, tls: null, secret }, clock: systemClock }
  expect(await freezeSigner(deps, { frozen: true, ...REASON })).toEqual({ frozen: true })
  expect(signer.calls).toEqual(['POST /freeze {"frozen":true}'])
  expect(notes).toEqual([
    { action: 'signer.freeze', phase: 'asked', why: null },
    { action: 'signer.freeze', phase: 'done', why: null },
  ])
})

it('freezes although nothing can be written down, and does not thaw then', async () => {
  const signer = await startSigner()
  const { warned, ...rest } = noting({ fails: true })
  const deps = { ...rest, access: { url: signer.url, tls: null, secret }, clock: systemClock }
  expect(await freezeSigner(deps, { frozen: true, ...REASON })).toEqual({ frozen: true })
  expect(warned).toHaveLength(2)
  await expect(freezeSigner(deps, { frozen: false, ...REASON })).rejects.toThrow('no store')
  expect(signer.calls).toHaveLength(1)
})

it('freezes although the server hangs', async () => {
  const signer = await startSigner()
  const { warned, warn } = noting()
  const operator: Operator = { act: () => new Promise(() => {}) }
  const deps = {
    operator,
    warn,
    access: { url: signer.url, tls: null, secret },
    clock: systemClock,
    noteBoundMs: 20,
  }
  expect(await freezeSigner(deps, { frozen: true, ...REASON })).toEqual({ frozen: true })
  expect(warned[0]).toContain('no response within 20 ms')
})

it('records that the signer refused', async () => {
  const signer = await startSigner(403)
  const { notes, ...rest } = noting()
  const deps = { ...rest, access: { url: signer.url, tls: null, secret }, clock: systemClock }
  await expect(freezeSigner(deps, { frozen: false, ...REASON })).rejects.toThrow('The signer refused: No.')
  expect(notes).toMatchObject([{ phase: 'asked' }, { phase: 'failed', why: 'No.' }])
})

it('finds the operator’s secret in the settings, or where the devnet’s is kept', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pit-freeze-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  expect(() => signerAccessOf({ DATA_DIR: folder })).toThrow('SIGNER_OPERATOR_SECRET_FILE')
  mkdirSync(join(folder, 'signer'))
  writeFileSync(join(folder, 'signer', 'operator-secret'), 'made\n', { mode: 0o600 })
  expect(signerAccessOf({ DATA_DIR: folder })).toEqual({
    url: 'http://127.0.0.1:4664',
    tls: null,
    secret: 'made',
  })
  const settings = { DATA_DIR: folder, SIGNER_OPERATOR_SECRET: 'given', SIGNER_PORT: '99' }
  expect(signerAccessOf(settings)).toEqual({ url: 'http://127.0.0.1:99', tls: null, secret: 'given' })
  expect(() => signerAccessOf({ SIGNER_OPERATOR_SECRET_FILE: join(folder, 'none') })).toThrow('ENOENT')
})
