import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { request } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@pit/platform/clock'
import { createLogger } from '@pit/platform/monitoring'
import { createAuthority } from '@pit/platform/test/certificates'
import { createSignerClient, type TlsIdentity } from '@pit/signer-wire'
import { afterEach, describe, expect, it } from 'vitest'
import { createGate } from './gate.ts'
import type { Door } from './listenAt.ts'
import { serveCalls } from './serveCalls.ts'

const SECRET = 'a secret of the server '.repeat(2)
const ended: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ended.splice(0).reverse()) await end()
})

async function serve(door: Door, log: string[] = []) {
  const gate = createGate({
    secrets: { server: SECRET, operator: null },
    clock: systemClock,
    startedAtMs: 0,
  })
  const served = await serveCalls({
    door,
    routes: [{ method: 'GET', path: '/health', handle: async () => ({ status: 'ok' }) }],
    gate,
    logger: createLogger({ level: 'info', destination: { write: (line) => void log.push(line) } }),
    maxInFlight: 8,
  })
  ended.push(() => served.close())
  return served
}

function call(url: string, { secret = SECRET, tls = null as TlsIdentity | null } = {}) {
  const client = createSignerClient({ url, secret, clock: systemClock, tls, timeoutMs: 5_000 })
  ended.push(() => client.close())
  return client.health()
}

describe('a socket file', () => {
  const folderOf = () => {
    const folder = mkdtempSync(join(tmpdir(), 'pit-sock-'))
    ended.push(() => rmSync(folder, { recursive: true, force: true }))
    return folder
  }

  it('is for its user and group, and accepts signed calls only', async () => {
    const path = join(folderOf(), 'signer.sock')
    const { url } = await serve({ kind: 'socket', path })
    expect(url).toBe(`unix:${path}`)
    expect(statSync(path).mode & 0o777).toBe(0o660)
    expect(await call(url)).toEqual({ status: 'ok' })
    await expect(call(url, { secret: 'another secret '.repeat(4) })).rejects.toThrow('UNAUTHORIZED')
  })

  it('that a killed signer left is taken over; one that answers is not', async () => {
    const path = join(folderOf(), 'signer.sock')
    const left = createServer()
    await new Promise<void>((resolve) => left.listen(path, resolve))
    await expect(serve({ kind: 'socket', path })).rejects.toThrow(`another process listens on ${path}`)
    await new Promise((resolve) => left.close(resolve))
    await serve({ kind: 'socket', path })
    expect(await call(`unix:${path}`)).toEqual({ status: 'ok' })
  })

  it('is not created in a folder that others can write to', async () => {
    const folder = folderOf()
    chmodSync(folder, 0o770)
    const path = join(folder, 'signer.sock')
    await expect(serve({ kind: 'socket', path })).rejects.toThrow(`others may write ${folder}`)
    await expect(serve({ kind: 'socket', path: '/nowhere/signer.sock' })).rejects.toThrow(
      'folder /nowhere does not exist',
    )
  })

  it('that does not exist is reported as ENOENT', async () => {
    await expect(call('unix:/nowhere/signer.sock')).rejects.toThrow('the signer did not answer: ENOENT')
  })
})

describe('TLS on both sides', () => {
  const NAME = 'localhost'
  const authority = createAuthority()
  const stranger = createAuthority()
  const server = authority.issue([NAME])
  const client = authority.issue(['server'])
  const door = (issued = server, ca = authority.cert): Door => ({
    kind: 'tls',
    host: '127.0.0.1',
    port: 0,
    ...issued,
    ca,
  })
  const open = async (log?: string[], issued?: typeof server) =>
    `https://${NAME}:${(await serve(door(issued), log)).port}`

  it('admits a client with a certificate and the secret', async () => {
    const url = await open()
    const tls = { ca: authority.cert, ...client }
    expect(await call(url, { tls })).toEqual({ status: 'ok' })
    await expect(call(url, { tls, secret: 'another secret '.repeat(4) })).rejects.toThrow('UNAUTHORIZED')
  })

  it.each([
    ['of another authority', stranger.issue(['server'])],
    ['that has expired', authority.issue(['server'], { from: -9, to: -1 })],
  ])('refuses a client’s certificate %s, and logs it', async (_, issued) => {
    const log: string[] = []
    const url = await open(log)
    await expect(call(url, { tls: { ca: authority.cert, ...issued } })).rejects.toThrow(
      'the signer did not answer',
    )
    expect(log.join('')).toContain('client certificate rejected')
  })

  it('refuses a client without a certificate', async () => {
    const log: string[] = []
    const { port } = await serve(door(), log)
    // Not over TLS at all.
    const plain = new Promise((resolve, reject) => {
      request({ host: '127.0.0.1', port, path: '/health' }, resolve).on('error', reject).end()
    })
    await expect(plain).rejects.toThrow()
    const none = { ca: authority.cert, cert: undefined, key: undefined } as unknown as TlsIdentity
    await expect(call(`https://${NAME}:${port}`, { tls: none })).rejects.toThrow('the signer did not answer')
    expect(log.join('')).toContain('client certificate rejected')
  })

  it.each([
    ['of another authority', stranger.issue([NAME]), 'not signed by the authority in SIGNER_CA_FILE'],
    ['that has expired', authority.issue([NAME], { from: -9, to: -1 }), 'its certificate has expired'],
    ['of another name', authority.issue(['elsewhere']), 'for another host name than SIGNER_URL'],
  ])('rejects a signer with a certificate %s', async (_, issued, words) => {
    const url = await open([], issued)
    await expect(call(url, { tls: { ca: authority.cert, ...client } })).rejects.toThrow(words)
  })

  it('does not start with a key of another certificate', async () => {
    const mixed = { cert: server.cert, key: client.key }
    await expect(serve(door(mixed))).rejects.toThrow('the signer’s certificate and key cannot be used')
  })
})
