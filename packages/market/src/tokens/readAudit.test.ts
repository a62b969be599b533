import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type ChainProfile, isPitError, NATIVE_TOKEN } from '@pit/protocol'
import { afterEach, describe, expect, it } from 'vitest'
import { createAuditReader } from './readAudit.ts'

const TOKEN = '0x00000000000000000000000000000000000000ab'
const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

const profileWith = (audit: ChainProfile['vendors']['audit']) =>
  ({ core_tokens: [{ address: TOKEN, native: false }], listed_stocks: [], vendors: { audit } }) as never

async function open(answer: RequestListener, timeoutMs = 10_000) {
  let requests = 0
  const server = createServer((req, res) => {
    requests++
    answer(req, res)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const time = { nowMs: 1_800_000_000_000 }
  const lines: number[] = []
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/audit/v1`
  const reader = createAuditReader({
    profile: profileWith({ kind: 'pit', url }),
    clock: { nowMs: () => time.nowMs },
    logger: { warn: () => void lines.push(1) },
    timeoutMs,
  })
  return { reader, asked: () => requests, time, lines }
}
const says =
  (verdict: unknown, more: object = {}): RequestListener =>
  (_, res) =>
    void res.end(
      JSON.stringify({ chain_id: 4663, address: TOKEN, verdict, url: 'https://audit.example/r', ...more }),
    )
const codeOf = (work: Promise<unknown>) =>
  work.then(
    (value) => JSON.stringify(value),
    (error) => (isPitError(error) ? `${error.code} ${error.status} ${error.retryAfterS}` : String(error)),
  )

describe('the audit', () => {
  it('is read in our terms, with its age', async () => {
    const { reader } = await open(says('verified'))
    const audit = {
      verdict: 'verified',
      url: 'https://audit.example/r',
      source: 'audit',
      checked_at: 1_800_000_000,
    }
    expect(await reader.read(TOKEN)).toEqual({ audit, findings: [] })
    expect((await (await open(says('unknown'))).reader.read(TOKEN)).audit.verdict).toBe('unverified')
    const scripted = await open(says('flagged', { url: 'javascript:alert(1)' }))
    expect((await scripted.reader.read(TOKEN)).audit.url).toBeNull()
  })
  it('of the native coin needs no request', async () => {
    const audit = { verdict: 'verified', url: null, source: 'native', checked_at: 1_800_000_000 }
    const { reader, asked } = await open(says('flagged'))
    expect(await reader.read(NATIVE_TOKEN)).toEqual({ audit, findings: [] })
    expect(asked()).toBe(0)
    const clock = { nowMs: () => 1_800_000_000_000 }
    const none = createAuditReader({ profile: profileWith(null as never), clock, logger: { warn: () => {} } })
    expect(await none.read(NATIVE_TOKEN)).toEqual({ audit, findings: [] })
    expect(await codeOf(none.read(TOKEN))).toMatch(/^AUDIT_UNAVAILABLE/)
  })
  it('is requested once for many callers, and again only when old', async () => {
    const { reader, asked, time } = await open(says('verified'))
    await Promise.all(Array.from({ length: 30 }, () => reader.read(TOKEN)))
    await reader.read(TOKEN)
    expect(asked()).toBe(1)
    time.nowMs += 301_000
    expect((await reader.read(TOKEN)).audit.checked_at).toBe(1_800_000_301)
    expect(asked()).toBe(2)
  })
  const unreadable: [string, RequestListener][] = [
    ['hangs', () => {}],
    ['drops', (req) => req.socket.destroy()],
    ['answers an error', (_, res) => void res.writeHead(503).end('{}')],
    ['is not JSON', (_, res) => void res.end('<html>')],
    ['says something else', says('probably fine')],
    ['says a property of objects', says('constructor')],
    ['speaks of another token', says('verified', { address: TOKEN.replace('ab', 'cd') })],
    ['speaks of another chain', says('verified', { chain_id: 1 })],
    ['floods', (_, res) => void res.end(`{"verdict":"verified","pad":"${'x'.repeat(300_000)}"}`)],
    ['sends elsewhere', (_, res) => void res.writeHead(302, { location: '/other' }).end()],
  ]
  it.each(unreadable)('gives no verdict if it %s', async (how, answer) => {
    const { reader } = await open(answer, how === 'hangs' ? 200 : 10_000)
    expect(await codeOf(reader.read(TOKEN))).toBe('AUDIT_UNAVAILABLE 503 15')
  })
  it('is logged once if unreadable, until it recovers', async () => {
    let status = 503
    const { reader, lines } = await open((req, res) =>
      status === 200 ? says('verified')(req, res) : void res.writeHead(status).end(),
    )
    for (let i = 0; i < 3; i++) await codeOf(reader.read(TOKEN))
    expect(lines.length).toBe(1)
    status = 500
    await codeOf(reader.read(TOKEN))
    expect(lines.length).toBe(2)
  })
  it('expires if the provider is down', async () => {
    let up = true
    const { reader, time } = await open((req, res) =>
      up ? says('verified')(req, res) : req.socket.destroy(),
    )
    await reader.read(TOKEN)
    up = false
    expect((await reader.read(TOKEN)).audit.verdict).toBe('verified')
    time.nowMs += 301_000
    expect(await codeOf(reader.read(TOKEN))).toMatch(/^AUDIT_UNAVAILABLE/)
  })
  it('is refused without a provider', async () => {
    const deps = { clock: { nowMs: () => 0 }, logger: { warn() {} } }
    const reader = createAuditReader({ profile: profileWith(null), ...deps })
    expect(reader.check).toBe(null)
    const unknown = { kind: 'oracle', url: 'http://127.0.0.1:9' }
    expect(() => createAuditReader({ profile: profileWith(unknown), ...deps })).toThrow(
      'vendors.audit: unknown kind "oracle"; use goplus, pit',
    )
    expect(await codeOf(reader.read(TOKEN))).toBe('AUDIT_UNAVAILABLE 503 15')
  })
})

describe('whether the provider answers', () => {
  it('is probed without other requests, at most every ten seconds', async () => {
    const { reader, asked, time } = await open(says('verified'))
    for (let i = 0; i < 5; i++) await reader.check!()
    expect(asked()).toBe(1)
    time.nowMs += 10_000
    await reader.check!()
    expect(asked()).toBe(2)
  })

  it('follows the last response, to a probe or for a token', async () => {
    let status = 503
    const { reader, time } = await open((req, res) =>
      status === 200 ? says('verified')(req, res) : void res.writeHead(status).end(),
    )
    expect(await codeOf(reader.read(TOKEN))).toContain('AUDIT_UNAVAILABLE')
    await expect(reader.check!()).rejects.toThrow('Responded with status 503.')
    status = 200
    await expect(reader.check!()).rejects.toThrow('Responded with status 503.')
    time.nowMs += 10_000
    await reader.check!()
  })
})
