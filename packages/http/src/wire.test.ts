import { afterEach, describe, expect, it } from 'vitest'
import { bearer, CHALLENGE, errorOf, GOOD_KEY, ME, REVOKE, raw, WALLET } from '../test/edgeClient.ts'
import { openTestApp } from '../test/testApp.ts'

/** Raw bytes on the wire: bodies, and invalid HTTP. */

const POST_CHALLENGE = `POST ${CHALLENGE} HTTP/1.1\r\nHost: localhost\r\n`
const MANY_HEADERS = Array.from({ length: 10_000 }, (_, i) => `h${i}: v\r\n`).join('')

let app: Awaited<ReturnType<typeof openTestApp>>
const open = async (options: Parameters<typeof openTestApp>[0] = {}) => {
  app = await openTestApp(options)
  return app
}
afterEach(() => app.close())

describe('bodies', () => {
  const challenge = (body: string | Buffer, headers: Record<string, string> = {}) =>
    app.inject({ method: 'POST', url: CHALLENGE, body, headers })

  it.each<[string, string, number, string]>([
    ['nothing', '', 400, 'address'],
    ['malformed JSON', '{"address":', 400, 'body'],
    ['a list', '[]', 400, 'body'],
    ['a wrong type', '{"address":5}', 400, 'address'],
    ['a duplicate', `{"address":"${WALLET}","address":"${WALLET}"}`, 400, 'address'],
    ['a prototype', `{"address":"${WALLET}","__proto__":{"purpose":"revoke-all"}}`, 400, '__proto__'],
    ['a wrong value', `{"address":"${WALLET}","purpose":"x"}`, 400, 'purpose'],
  ])('rejects %s and names the field', async (_what, body, status, field) => {
    await open()
    const answer = await challenge(body)
    expect([answer.status, errorOf(answer)['code'], errorOf(answer)['field']]).toEqual([
      status,
      'BAD_REQUEST',
      field,
    ])
  })

  it('accepts 65,536 bytes and rejects one more with a readable response, whatever length it declares', async () => {
    await open()
    const sized = (bytes: number) => {
      const body = `{"address":"${WALLET}","pad":"`
      return `${body}${'x'.repeat(bytes - body.length - 2)}"}`
    }
    expect((await challenge(sized(65_536))).status).toBe(200)
    const over = await challenge(sized(65_537))
    expect([over.status, errorOf(over)['code'], errorOf(over)['field']]).toEqual([413, 'BAD_REQUEST', 'body'])
    expect((await challenge(sized(3_000_000))).status).toBe(413)
    const announced = await raw(app, `${POST_CHALLENGE}Content-Length: 99999999999\r\n\r\n{`)
    expect(announced).toContain('HTTP/1.1 413')
  })

  it('requires a plain length', async () => {
    await open()
    const chunked = await raw(app, `${POST_CHALLENGE}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`)
    expect(chunked).toMatch(/^HTTP\/1\.1 411 [\s\S]*LENGTH_REQUIRED/)
    const missing = await raw(app, `${POST_CHALLENGE}Connection: close\r\n\r\n`)
    expect(missing).toMatch(/^HTTP\/1\.1 411 /)
    const none = await raw(
      app,
      `POST ${REVOKE} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n` +
        `Authorization: Bearer ${GOOD_KEY}\r\n\r\n`,
    )
    expect(none).toMatch(/^HTTP\/1\.1 200 /)
  })

  it('rejects other media types and compressed bodies', async () => {
    await open()
    const body = `{"address":"${WALLET}"}`
    const form = await challenge(body, { 'content-type': 'application/x-www-form-urlencoded' })
    expect([form.status, errorOf(form)['field']]).toEqual([400, 'content-type'])
    const zipped = await challenge(body, { 'content-encoding': 'gzip' })
    expect([zipped.status, errorOf(zipped)['field']]).toEqual([400, 'content-encoding'])
    expect((await challenge(body, { 'content-type': 'application/json; charset=UTF-8' })).status).toBe(200)
  })

  it('times out slow, truncated and abandoned bodies', async () => {
    await open({ times: { bodyMs: 100, headersMs: 300 } })
    const head = `${POST_CHALLENGE}Content-Length: 100\r\n\r\n`
    const slow = await raw(app, [head, '{', '"', 'a'], { pauseMs: 60 })
    expect(slow).toMatch(/^HTTP\/1\.1 400 [\s\S]*did not arrive in time/)
    const cut = await raw(app, `${head}{"address"`, { halfClose: true })
    expect(cut).toMatch(/^HTTP\/1\.1 400 [\s\S]*BAD_REQUEST/)
    const slowHead = await raw(app, 'GET / HTTP/1.1\r\nHost: loc')
    expect(slowHead).toMatch(/^HTTP\/1\.1 400 [\s\S]*did not arrive in time/)
    expect((await app.inject({ url: ME, headers: bearer })).status).toBe(200)
  })

  it('sends 100 Continue if requested, and rejects before the body is sent', async () => {
    await open()
    const expecting = (length: number) =>
      `${POST_CHALLENGE}Content-Length: ${length}\r\nConnection: close\r\nExpect: 100-continue\r\n\r\n`
    const body = `{"address":"${WALLET}"}`
    expect(await raw(app, [expecting(body.length), body], { pauseMs: 50 })).toMatch(
      /^HTTP\/1\.1 100 [\s\S]*HTTP\/1\.1 200 /,
    )
    expect(await raw(app, expecting(70_000))).toMatch(/^HTTP\/1\.1 413 /)
    expect(await raw(app, expecting(5).replace('100-continue', 'magic'))).toMatch(
      /^HTTP\/1\.1 400 [\s\S]*BAD_REQUEST/,
    )
  })
})

describe('parser errors', () => {
  it.each<[string, string]>([
    ['a bad request line', 'NONSENSE\r\n\r\n'],
    ['an unknown method', 'BREW / HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['a bad header', `GET ${ME} HTTP/1.1\r\nHost: localhost\r\nbad header\r\n\r\n`],
    ['a header smuggled by a bare CR', `GET ${ME} HTTP/1.1\r\nHost: localhost\r\nx: a\rb: c\r\n\r\n`],
    ['two lengths', `${POST_CHALLENGE}Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}`],
    ['a length and chunks', `${POST_CHALLENGE}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}`],
    ['ten thousand headers', `GET ${ME} HTTP/1.1\r\nHost: localhost\r\n${MANY_HEADERS}\r\n`],
    ['an endless URI', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`],
    ['a long URI', `GET /${'a'.repeat(8_000)} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`],
    ['a bad target', 'GET nowhere HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'],
    ['bad percent-encoding', 'GET /api/v1/%zz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'],
    ['TLS on a plain port', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ])('%s is BAD_REQUEST as JSON', async (_what, bytes) => {
    await open()
    const text = await raw(app, bytes)
    expect(text).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
    expect(text).toMatch(/\r\nX-Request-Id: \S+\r\n/)
    const body = JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4)) as { error: { code: string } }
    expect(body.error.code).toBe('BAD_REQUEST')
  })

  it('accepts two hundred headers, the absolute form, and treats a missing Host as unknown', async () => {
    await open()
    const many = Array.from({ length: 200 }, (_, i) => `h${i}: v\r\n`).join('')
    expect(
      await raw(app, `GET /none HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${many}\r\n`),
    ).toMatch(/^HTTP\/1\.1 404 /)
    expect(
      await raw(app, 'GET http://localhost/none HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'),
    ).toMatch(/^HTTP\/1\.1 404 /)
    expect(
      await raw(app, 'GET http://evil/none HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'),
    ).toMatch(/^HTTP\/1\.1 421 /)
    expect(await raw(app, 'GET /none HTTP/1.1\r\nConnection: close\r\n\r\n')).toMatch(/^HTTP\/1\.1 421 /)
    expect(await raw(app, 'CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 405 [\s\S]*METHOD_NOT_ALLOWED/,
    )
    expect(await raw(app, 'OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 404 /,
    )
  })

  it('responds to a client that half-closed after its request', async () => {
    await open({
      handlers: { 'auth.me': () => new Promise((resolve) => setTimeout(resolve, 50, { serialised: '{}' })) },
    })
    const request = `GET ${ME} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${GOOD_KEY}\r\n\r\n`
    expect(await raw(app, request, { halfClose: true })).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*\r\n\r\n\{\}$/)
  })

  it('responds to earlier requests before the parser error', async () => {
    await open({
      handlers: { 'auth.me': () => new Promise((resolve) => setTimeout(resolve, 50, { serialised: '{}' })) },
    })
    const text = await raw(
      app,
      `GET ${ME} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${GOOD_KEY}\r\n\r\nNONSENSE\r\n\r\n`,
    )
    expect(text).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*\r\n\r\n\{\}$/)
  })
})
