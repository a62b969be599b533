import { connect } from 'node:net'
import { refusal } from '@pit/protocol'
import { afterEach, describe, expect, it } from 'vitest'
import { GOOD_KEY, openTestApp, WALLET } from '../../test/testApp.ts'
import type { App } from './createApp.ts'
import { PASSED, ratesOf } from './rates/limiter.ts'
import { createMemoryLimiter } from './rates/memoryLimiter.ts'

let app: Awaited<ReturnType<typeof openTestApp>>
const open = async (options: Parameters<typeof openTestApp>[0] = {}) => {
  app = await openTestApp(options)
  return app
}
afterEach(() => app.close())

const ME = '/api/v1/auth/me'
const CHALLENGE = '/api/v1/auth/challenge'
const REVOKE = '/api/v1/auth/revoke'
const bearer = { authorization: `Bearer ${GOOD_KEY}` }
const errorOf = (answer: { json<T>(): T }) => answer.json<{ error: Record<string, unknown> }>().error

/** Sends bytes as they are and answers everything that comes back. */
async function raw(
  to: App,
  bytes: string | string[],
  { pauseMs = 0, halfClose = false } = {},
): Promise<string> {
  if (to.address() === null) await to.inject({ url: '/' })
  return new Promise((resolve) => {
    const socket = connect({ port: to.address()!.port, host: '127.0.0.1', allowHalfOpen: true })
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('error', () => resolve(text))
    socket.on('close', () => resolve(text))
    socket.on('end', () => socket.end())
    const parts = Array.isArray(bytes) ? bytes : [bytes]
    const write = (i: number) => {
      if (i >= parts.length) {
        if (halfClose) socket.end()
        return
      }
      socket.write(parts[i]!)
      setTimeout(write, pauseMs, i + 1)
    }
    write(0)
  })
}

describe('every answer', () => {
  it('carries an id, is not stored, and cannot be read as a page', async () => {
    await open()
    for (const url of [ME, '/nowhere']) {
      const { headers } = await app.inject({ url, headers: bearer })
      expect(headers).toMatchObject({
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      })
      expect(headers['x-request-id']).toMatch(/^[0-9a-f]{12}-\w+$/)
    }
  })

  it.each([
    ['trace-1.2:3_4', true],
    ['has space', false],
    ['x'.repeat(65), false],
    ['<script>', false],
    [GOOD_KEY, false],
  ])('keeps the incoming id %s: %s', async (id, kept) => {
    await open()
    const { headers } = await app.inject({ url: ME, headers: { ...bearer, 'x-request-id': id } })
    expect(headers['x-request-id'] === id).toBe(kept)
  })

  it('hands the handler who calls', async () => {
    await open()
    const answer = await app.inject({
      url: ME,
      headers: { ...bearer, 'x-forwarded-for': '6.6.6.6, 1.2.3.4' },
    })
    expect(answer.json()).toMatchObject({
      id: 'auth.me',
      caller: { address: '1.2.3.4', key: { wallet: WALLET } },
    })
  })

  it('answers HEAD like GET, without the body', async () => {
    await open()
    const head = await app.inject({ method: 'HEAD', url: ME, headers: bearer })
    expect([head.status, head.text, Number(head.headers['content-length']) > 0]).toEqual([200, '', true])
  })

  it('sends constant bytes as they are, with their own status', async () => {
    await open({
      handlers: { 'auth.me': () => ({ serialised: Buffer.from('{"status":"down"}'), status: 503 }) },
    })
    const { status, text, headers } = await app.inject({ url: ME, headers: bearer })
    expect([status, text, headers['retry-after']]).toEqual([503, '{"status":"down"}', '5'])
  })
})

describe('the order at the edge', () => {
  /** Each row is wrong in its own way and in every later way; the first one answers. */
  const wrongs: [string, number, string, Record<string, string>][] = [
    ['host', 421, 'UNKNOWN_HOST', { host: 'evil.example' }],
    ['country', 451, 'COUNTRY_BLOCKED', { 'cf-ipcountry': 'KP' }],
    ['length', 413, 'BAD_REQUEST', { 'content-length': '65537' }],
    ['csrf', 403, 'CSRF_REFUSED', { origin: 'https://evil.example' }],
    ['key', 401, 'UNAUTHORIZED', { authorization: 'Bearer nope' }],
  ]
  it.each(wrongs.map((row, i) => [...row, i] as const))(
    'refuses by %s',
    async (_name, status, code, _headers, i) => {
      await open()
      const headers = Object.assign(
        {},
        bearer,
        ...wrongs
          .slice(i)
          .map(([, , , more]) => more)
          .reverse(),
      ) as Record<string, string>
      const answer = await app.inject({ method: 'POST', url: REVOKE, headers, body: 'not json' })
      expect([answer.status, errorOf(answer)['code']]).toEqual([status, code])
    },
  )

  it('knows the route before it looks at the body, and names the methods', async () => {
    await open()
    const none = await app.inject({
      method: 'POST',
      url: '/api/v1/nope',
      headers: { 'content-length': '65537' },
      body: '{}',
    })
    expect([none.status, errorOf(none)['code']]).toEqual([404, 'NOT_FOUND'])
    for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'GET']) {
      const wrong = await app.inject({ method, url: CHALLENGE })
      expect([wrong.status, errorOf(wrong)['code'], wrong.headers.allow]).toEqual([
        405,
        'METHOD_NOT_ALLOWED',
        'POST',
      ])
    }
    expect((await app.inject({ method: 'POST', url: ME })).headers.allow).toBe('GET, HEAD')
  })

  it('limits by address before it looks at the key, and by key before it reads the body', async () => {
    await open()
    for (let i = 0; i < 30; i++) expect((await app.inject({ url: ME, headers: bearer })).status).toBe(200)
    const limited = await app.inject({ method: 'POST', url: REVOKE, headers: bearer, body: 'not json' })
    expect([limited.status, limited.headers['retry-after']]).toEqual([429, '1'])
    expect(errorOf(limited)).toMatchObject({ code: 'RATE_LIMITED', retry_after_s: 1 })
    app.time.nowMs += 1_000
    expect((await app.inject({ url: ME, headers: bearer })).status).toBe(200)
  })

  it('limits sign-in per address and overall', async () => {
    await open()
    const ask = (address: string) =>
      app.inject({
        method: 'POST',
        url: CHALLENGE,
        headers: { 'x-forwarded-for': address },
        body: { address: WALLET },
      })
    for (let i = 0; i < 10; i++) expect((await ask('1.1.1.1')).status).toBe(200)
    const limited = await ask('1.1.1.1')
    expect([limited.status, limited.headers['retry-after']]).toEqual([429, '10'])
    expect((await ask('1.1.1.2')).status).toBe(200)
    expect((await ask('2001:db8::1')).status).toBe(200)
    app.time.nowMs += 10_000
    expect((await ask('1.1.1.1')).status).toBe(200)
  })
})

it('judges the address before the key, and draws from both only when all pass', async () => {
  await open()
  const get = (headers: Record<string, string>) => app.inject({ url: '/api/v1/tokens/ETH', headers })
  const elsewhere = { ...bearer, 'x-forwarded-for': '9.9.9.9' }
  for (let i = 0; i < 20; i++) expect((await get(elsewhere)).status).toBe(200)
  // The key is empty now; its refusals must not empty the address.
  for (let i = 0; i < 30; i++) expect((await get(elsewhere)).headers['retry-after']).toBe('2')
  const limiter = createMemoryLimiter({ rates: ratesOf({ scale: 1, overallFactor: 50 }) })
  for (let i = 0; i < 40; i++)
    limiter.take([{ bucket: 'token_get.address', id: '127.0.0.1' }], app.time.nowMs)
  await app.close()
  await open({ limiter })
  expect([(await get({ authorization: 'Bearer x' })).status, (await get(bearer)).status]).toEqual([429, 429])
  expect((await get(elsewhere)).status).toBe(200)
})

describe('keys', () => {
  it('limits failures per address and still serves a good key from there', async () => {
    await open()
    const bad = () => app.inject({ url: ME, headers: { authorization: 'Bearer pit_w_wrong' } })
    for (let i = 0; i < 20; i++) expect((await bad()).status).toBe(401)
    const limited = await bad()
    expect([limited.status, limited.headers['retry-after']]).toEqual([429, '5'])
    expect((await app.inject({ url: ME, headers: bearer })).status).toBe(200)
  })

  it.each(['', 'Basic abc', `bearer\t${GOOD_KEY}`, GOOD_KEY, `Bearer ${GOOD_KEY} x`])(
    'refuses %j',
    async (authorization) => {
      await open()
      const answer = await app.inject({ url: ME, headers: { authorization } })
      expect([answer.status, errorOf(answer)['code']]).toEqual([401, 'UNAUTHORIZED'])
    },
  )

  it('serves a sanctioned wallet only what ends things', async () => {
    await open({ sanctions: { isSanctioned: (address) => address === WALLET } })
    const me = await app.inject({ url: ME, headers: bearer })
    expect([me.status, errorOf(me)['code'], errorOf(me)['field']]).toEqual([451, 'SANCTIONED', 'wallet'])
    expect((await app.inject({ method: 'POST', url: REVOKE, headers: bearer })).status).toBe(200)
  })

  it('answers 503 when keys cannot be looked up, and logs why', async () => {
    await open({ authenticate: () => Promise.reject(new Error('store is gone')) })
    const answer = await app.inject({ url: ME, headers: bearer })
    expect([answer.status, errorOf(answer)['code'], answer.headers['retry-after']]).toEqual([
      503,
      'ENGINE_UNAVAILABLE',
      '5',
    ])
    expect(answer.text).not.toContain('store is gone')
    const logged = app.log.find((line) => line.includes('store is gone'))
    expect(logged).toContain(answer.headers['x-request-id'])
    expect(app.log.join()).not.toContain(GOOD_KEY)
  })
})

describe('browsers', () => {
  const post = (headers: Record<string, string>) =>
    app.inject({ method: 'POST', url: CHALLENGE, headers, body: { address: WALLET } })
  it.each<[Record<string, string>, number]>([
    [{}, 200],
    [{ origin: 'http://localhost:4663' }, 200],
    [{ origin: 'http://localhost' }, 403],
    [{ origin: 'null' }, 403],
    [{ cookie: 'a=b' }, 403],
    [{ cookie: 'a=b', 'x-pit-client': 'web' }, 200],
    [{ cookie: 'a=b', 'x-pit-client': 'web', 'content-type': 'text/plain' }, 403],
    [{ cookie: 'a=b', 'x-pit-client': 'web', origin: 'https://evil.example' }, 403],
  ])('%j: %s', async (headers, status) => {
    await open()
    expect((await post(headers)).status).toBe(status)
  })
})

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
    ['a wrong word', `{"address":"${WALLET}","purpose":"x"}`, 400, 'purpose'],
  ])('refuses %s and names the field', async (_what, body, status, field) => {
    await open()
    const answer = await challenge(body)
    expect([answer.status, errorOf(answer)['code'], errorOf(answer)['field']]).toEqual([
      status,
      'BAD_REQUEST',
      field,
    ])
  })

  it('takes 65,536 bytes and refuses one more, readably, however large it says it is', async () => {
    await open()
    const sized = (bytes: number) => {
      const body = `{"address":"${WALLET}","pad":"`
      return `${body}${'x'.repeat(bytes - body.length - 2)}"}`
    }
    expect((await challenge(sized(65_536))).status).toBe(200)
    const over = await challenge(sized(65_537))
    expect([over.status, errorOf(over)['code'], errorOf(over)['field']]).toEqual([413, 'BAD_REQUEST', 'body'])
    expect((await challenge(sized(3_000_000))).status).toBe(413)
    const announced = await raw(
      app,
      `POST ${CHALLENGE} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n{`,
    )
    expect(announced).toContain('HTTP/1.1 413')
  })

  it('wants a plain length', async () => {
    await open()
    const chunked = await raw(
      app,
      `POST ${CHALLENGE} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
    )
    expect(chunked).toMatch(/^HTTP\/1\.1 411 [\s\S]*LENGTH_REQUIRED/)
    const missing = await raw(
      app,
      `POST ${CHALLENGE} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
    )
    expect(missing).toMatch(/^HTTP\/1\.1 411 /)
    const none = await raw(
      app,
      `POST ${REVOKE} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer ${GOOD_KEY}\r\n\r\n`,
    )
    expect(none).toMatch(/^HTTP\/1\.1 200 /)
  })

  it('refuses other media types and compressed bodies', async () => {
    await open()
    const body = `{"address":"${WALLET}"}`
    const form = await challenge(body, { 'content-type': 'application/x-www-form-urlencoded' })
    expect([form.status, errorOf(form)['field']]).toEqual([400, 'content-type'])
    const zipped = await challenge(body, { 'content-encoding': 'gzip' })
    expect([zipped.status, errorOf(zipped)['field']]).toEqual([400, 'content-encoding'])
    expect((await challenge(body, { 'content-type': 'application/json; charset=UTF-8' })).status).toBe(200)
  })

  it('does not wait for ever: slow, truncated and abandoned bodies', async () => {
    await open({ times: { bodyMs: 100, headersMs: 300 } })
    const head = `POST ${CHALLENGE} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n`
    const slow = await raw(app, [head, '{', '"', 'a'], { pauseMs: 60 })
    expect(slow).toMatch(/^HTTP\/1\.1 400 [\s\S]*did not arrive in time/)
    const cut = await raw(app, `${head}{"address"`, { halfClose: true })
    expect(cut).toMatch(/^HTTP\/1\.1 400 [\s\S]*BAD_REQUEST/)
    const slowHead = await raw(app, 'GET / HTTP/1.1\r\nHost: loc')
    expect(slowHead).toMatch(/^HTTP\/1\.1 400 [\s\S]*did not arrive in time/)
    expect((await app.inject({ url: ME, headers: bearer })).status).toBe(200)
  })

  it('asks a client that waits to be asked, and refuses before it sends', async () => {
    await open()
    const expecting = (length: number) =>
      `POST ${CHALLENGE} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${length}\r\nConnection: close\r\nExpect: 100-continue\r\n\r\n`
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

describe('what the parser refuses', () => {
  it.each<[string, string]>([
    ['a bad request line', 'NONSENSE\r\n\r\n'],
    ['an unknown method', 'BREW / HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['a bad header', `GET ${ME} HTTP/1.1\r\nHost: localhost\r\nbad header\r\n\r\n`],
    ['a header smuggled by a bare return', `GET ${ME} HTTP/1.1\r\nHost: localhost\r\nx: a\rb: c\r\n\r\n`],
    [
      'two lengths',
      `POST ${CHALLENGE} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}`,
    ],
    [
      'a length and chunks',
      `POST ${CHALLENGE} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}`,
    ],
    [
      'ten thousand headers',
      `GET ${ME} HTTP/1.1\r\nHost: localhost\r\n${Array.from({ length: 10_000 }, (_, i) => `h${i}: v\r\n`).join('')}\r\n`,
    ],
    ['a URI without end', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`],
    ['a long URI', `GET /${'a'.repeat(8_000)} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`],
    ['a bad target', 'GET nowhere HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'],
    ['bad percent-encoding', 'GET /api/v1/%zz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'],
    ['TLS on a plain port', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ])('%s is BAD_REQUEST in the envelope', async (_what, bytes) => {
    await open()
    const text = await raw(app, bytes)
    expect(text).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
    expect(text).toMatch(/\r\nX-Request-Id: \S+\r\n/)
    const body = JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4)) as { error: { code: string } }
    expect(body.error.code).toBe('BAD_REQUEST')
  })

  it('takes two hundred headers, the absolute form, and no Host only as an unknown one', async () => {
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

  it('answers a client that closed its half after asking', async () => {
    await open({
      handlers: { 'auth.me': () => new Promise((resolve) => setTimeout(resolve, 50, { serialised: '{}' })) },
    })
    const ask = `GET ${ME} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${GOOD_KEY}\r\n\r\n`
    expect(await raw(app, ask, { halfClose: true })).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*\r\n\r\n\{\}$/)
  })

  it('answers what came before the nonsense first', async () => {
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

describe('pages', () => {
  it('serves the reference, the OpenAPI document and llms.txt, and leads there from the root', async () => {
    await open()
    const docs = await app.inject({ url: '/docs' })
    expect([docs.status, docs.headers['content-type'], docs.headers['cache-control']]).toEqual([
      200,
      'text/html; charset=utf-8',
      'no-store',
    ])
    expect(docs.headers['content-security-policy']).toMatch(/default-src 'none'; style-src 'sha256-/)
    const openapi = await app.inject({ url: '/api/v1/openapi.json' })
    expect(openapi.json()).toMatchObject({ openapi: '3.1.0', info: { version: '1.2.3' } })
    expect((await app.inject({ url: '/llms.txt' })).text).toContain('http://localhost:4663')
    const home = await app.inject({ url: '/' })
    expect([home.status, home.headers.location]).toEqual([302, '/docs'])
    expect((await app.inject({ method: 'POST', url: '/docs' })).status).toBe(405)
  })
})

describe('defects and features that are not there', () => {
  it('answers a defect as 503 with its id, and logs the stack, without the secret in it', async () => {
    await open({
      handlers: {
        'auth.me': () => {
          throw new TypeError(`cannot read ${GOOD_KEY}`)
        },
      },
    })
    const answer = await app.inject({ url: ME, headers: bearer })
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '5'])
    expect(errorOf(answer)['message']).toContain(answer.headers['x-request-id'])
    expect(answer.text).not.toMatch(/TypeError|at .*\.ts/)
    expect(app.log.find((line) => line.includes('createApp.test.ts'))).toContain('pit_w_[redacted]')
  })

  it('answers what cannot be written as JSON as 503', async () => {
    await open({ handlers: { 'auth.me': () => ({ n: 1n }) as never } })
    expect((await app.inject({ url: ME, headers: bearer })).status).toBe(503)
  })

  it('answers the area’s own 503 for what is not built', async () => {
    await open({ handlers: { 'auth.me': 'not built' } })
    const answer = await app.inject({ url: ME, headers: bearer })
    expect([answer.status, errorOf(answer)['code']]).toEqual([503, 'ENGINE_UNAVAILABLE'])
  })

  it('gives a refusal the status its route has for it', async () => {
    await open({
      handlers: {
        'auth.verify': () => {
          throw refusal('BAD_SIGNATURE')
        },
      },
    })
    const body = { address: WALLET, signature: `0x${'1'.repeat(130)}` }
    expect((await app.inject({ method: 'POST', url: '/api/v1/auth/verify', body })).status).toBe(401)
  })
})

describe('under load and at the end', () => {
  it('sheds before any work when too many requests are under way', async () => {
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    await open({
      config: { maxInFlight: 2 },
      handlers: { 'auth.me': () => held.then(() => ({ serialised: '{}' })) },
    })
    const two = [app.inject({ url: ME, headers: bearer }), app.inject({ url: ME, headers: bearer })]
    await new Promise((resolve) => setTimeout(resolve, 50))
    const shed = await app.inject({ url: ME })
    expect([shed.status, errorOf(shed)['code'], shed.headers['retry-after']]).toEqual([
      503,
      'ENGINE_UNAVAILABLE',
      '1',
    ])
    release()
    expect((await Promise.all(two)).map(({ status }) => status)).toEqual([200, 200])
    expect((await app.inject({ url: ME, headers: bearer })).status).toBe(200)
  })

  it('sheds while the event loop starves, and recovers', async () => {
    await open({
      config: { maxLoopDelayMs: 50 },
      limiter: { take: () => PASSED, peek: () => PASSED, close: async () => {} },
    })
    await app.inject({ url: ME, headers: bearer })
    let stop = false
    const starve = () => {
      const endMs = performance.now() + 120
      while (performance.now() < endMs);
      if (!stop) setImmediate(starve)
    }
    starve()
    await expect
      .poll(async () => (await app.inject({ url: ME, headers: bearer })).status, { timeout: 5_000 })
      .toBe(503)
    stop = true
    await expect
      .poll(async () => (await app.inject({ url: ME, headers: bearer })).status, { timeout: 5_000 })
      .toBe(200)
  })

  it('answers what is under way before it closes, and says that it closes', async () => {
    await open({
      handlers: { 'auth.me': () => new Promise((resolve) => setTimeout(resolve, 100, { serialised: '{}' })) },
    })
    await app.inject({ url: '/' })
    const answer = app.inject({ url: ME, headers: { ...bearer, connection: 'keep-alive' } })
    await new Promise((resolve) => setTimeout(resolve, 50))
    const port = app.address()!.port
    const closed = app.close()
    const { status, headers } = await answer
    expect([status, headers.connection]).toEqual([200, 'close'])
    await closed
    await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow()
  })

  it('does not wait for ever for a handler that hangs', async () => {
    await open({ times: { closeMs: 100 }, handlers: { 'auth.me': () => new Promise(() => {}) } })
    const hanging = app.inject({ url: ME, headers: bearer }).catch((error: Error) => error.message)
    await new Promise((resolve) => setTimeout(resolve, 50))
    const startedMs = performance.now()
    await app.close()
    expect(performance.now() - startedMs).toBeLessThan(5_000)
    expect(await hanging).toMatch(/hang up|reset/i)
  })
})
