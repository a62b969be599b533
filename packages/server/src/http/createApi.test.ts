import { createMemoryLimiter, ratesOf } from '@pit/http'
import { ownOrigins } from '@pit/http/internal/csrf'
import { bearer, CHALLENGE, errorOf, GOOD_KEY, ME, REVOKE, WALLET } from '@pit/http/test/edgeClient'
import { BUCKETS, ERRORS, refusal } from '@pit/protocol'
import { afterEach, describe, expect, it } from 'vitest'
import { openTestApp } from '../../test/testApp.ts'

let app: Awaited<ReturnType<typeof openTestApp>>
const open = async (options: Parameters<typeof openTestApp>[0] = {}) => {
  app = await openTestApp(options)
  return app
}
afterEach(() => app.close())

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
  ])('accepts the incoming id %s: %s', async (id, kept) => {
    await open()
    const { headers } = await app.inject({ url: ME, headers: { ...bearer, 'x-request-id': id } })
    expect(headers['x-request-id'] === id).toBe(kept)
  })

  it('passes the caller to the handler', async () => {
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

  it('sends constant bytes unchanged, with their own status', async () => {
    await open({
      handlers: { 'auth.me': () => ({ serialised: Buffer.from('{"status":"down"}'), status: 503 }) },
    })
    const { status, text, headers } = await app.inject({ url: ME, headers: bearer })
    expect([status, text, headers['retry-after']]).toEqual([503, '{"status":"down"}', '5'])
  })
})

describe('the order at the edge', () => {
  /** Each row fails its own check and all later ones; the first one decides. */
  const wrongs: [string, number, string, Record<string, string>][] = [
    ['host', 421, 'UNKNOWN_HOST', { host: 'evil.example' }],
    ['country', 451, 'COUNTRY_BLOCKED', { 'cf-ipcountry': 'KP' }],
    ['length', 413, 'BAD_REQUEST', { 'content-length': '65537' }],
    ['csrf', 403, 'CSRF_REFUSED', { origin: 'https://evil.example' }],
    ['key', 401, 'UNAUTHORIZED', { authorization: 'Bearer nope' }],
  ]
  it.each(wrongs.map((row, i) => [...row, i] as const))(
    'rejects by %s',
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

  it('finds the route before it reads the body, and lists the methods', async () => {
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

  it('limits by address before it checks the key, and by key before it reads the body', async () => {
    await open()
    for (let i = 0; i < 30; i++) expect((await app.inject({ url: ME, headers: bearer })).status).toBe(200)
    const limited = await app.inject({ method: 'POST', url: REVOKE, headers: bearer, body: 'not json' })
    expect([limited.status, limited.headers['retry-after']]).toEqual([429, '1'])
    expect(errorOf(limited)).toMatchObject({
      code: 'RATE_LIMITED',
      message: 'Too many requests: any request with an API key, counted per key.',
      bucket: 'key',
      retry_after_s: 1,
      retry: 'pause',
      hint: ERRORS.RATE_LIMITED.hint,
    })
    app.time.nowMs += 1_000
    expect((await app.inject({ url: ME, headers: bearer })).status).toBe(200)
  })

  it('lets no other traffic use up the bucket of health', async () => {
    await open({ limiter: createMemoryLimiter({ rates: ratesOf({ scale: 1, overallFactor: 1 }) }) })
    const from = (url: string, address: string) =>
      app.inject({ url, headers: { 'x-forwarded-for': address } }).then(({ status }) => status)
    for (let i = 0; i < 60; i++) expect(await from('/api/v1/config', `1.1.1.${i}`)).toBe(200)
    expect(await from('/api/v1/stats', '1.1.2.1')).toBe(429)
    expect(await from('/api/v1/health', '1.1.1.1')).toBe(200)
    for (let i = 0; i < 60; i++) expect(await from('/api/v1/health', '1.1.3.1')).toBe(200)
    expect(await from('/api/v1/health', '1.1.3.1')).toBe(429)
    expect(await from('/api/v1/health', '1.1.3.2')).toBe(200)
  })

  it('counts pages and their files apart from the API', async () => {
    const bucket = ratesOf({ scale: 1, overallFactor: 50 })
    await open({ limiter: createMemoryLimiter({ rates: bucket }) })
    const get = (url: string) => app.inject({ url, headers: { 'x-forwarded-for': '1.1.4.1' } })
    const { burst } = BUCKETS['page.address']
    for (let i = 0; i < burst; i++) expect((await get('/docs')).status).toBe(200)
    const limited = await get('/docs')
    expect(limited.status).toBe(429)
    expect(limited.headers['retry-after']).toBe('1')
    expect(errorOf(limited)).toMatchObject({ code: 'RATE_LIMITED', bucket: 'page.address' })
    for (let i = 0; i < 60; i++) expect((await get('/api/v1/config')).status).toBe(200)
    expect(errorOf(await get('/api/v1/config'))).toMatchObject({ bucket: 'public.address' })
    app.time.nowMs += 1_000
    expect((await get('/docs')).status).toBe(200)
  })

  it('counts IPv6 by /64, and eight of them per /48', async () => {
    await open()
    const from = (address: string) =>
      app
        .inject({ url: '/api/v1/config', headers: { 'x-forwarded-for': address } })
        .then(({ status }) => status)
    for (let i = 0; i < 60; i++) expect(await from(`2001:db8:1:1::${i}`)).toBe(200)
    expect(await from('2001:db8:1:1::ffff')).toBe(429)
    for (let i = 0; i < 420; i++) expect(await from(`2001:db8:1:${(i + 2).toString(16)}::1`)).toBe(200)
    expect(await from('2001:db8:1:ffff::1')).toBe(429)
    expect(await from('2001:db8:2::1')).toBe(200)
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
  // The key's bucket is empty now; its refusals must not empty the address's.
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

  it.each([
    [undefined, 'No API key: the Authorization header is missing.'],
    [GOOD_KEY, 'The Authorization header has no “Bearer” before the key: send “Bearer pit_w_…”.'],
    ['Bearer ', 'The Authorization header has no key after “Bearer”.'],
    ['Bearer pit_w_wrong', 'The API key is unknown, expired or revoked.'],
  ])('explains what is wrong with %j', async (authorization, message) => {
    await open()
    const answer = await app.inject({
      url: ME,
      headers: authorization === undefined ? {} : { authorization },
    })
    expect(errorOf(answer)).toMatchObject({ code: 'UNAUTHORIZED', message, retry: 'no' })
    expect(answer.text).not.toContain(GOOD_KEY)
  })

  it.each(['', 'Basic abc', `bearer\t${GOOD_KEY}`, GOOD_KEY, `Bearer ${GOOD_KEY} x`])(
    'refuses %j',
    async (authorization) => {
      await open()
      const answer = await app.inject({ url: ME, headers: { authorization } })
      expect([answer.status, errorOf(answer)['code']]).toEqual([401, 'UNAUTHORIZED'])
    },
  )

  it('serves a sanctioned wallet only routes that end things', async () => {
    await open({ sanctions: { isSanctioned: (address) => address === WALLET } })
    const me = await app.inject({ url: ME, headers: bearer })
    expect([me.status, errorOf(me)['code'], errorOf(me)['field']]).toEqual([451, 'SANCTIONED', 'wallet'])
    expect((await app.inject({ method: 'POST', url: REVOKE, headers: bearer })).status).toBe(200)
  })

  it('responds with 503 if keys cannot be looked up, and logs why', async () => {
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

  it('accepts every name of the address it listens on, with its port, and no other', async () => {
    await open()
    await app.inject({ url: '/docs' })
    const { port } = app.address()!
    for (const name of ['localhost', '127.0.0.1', '[::1]', 'LocalHost']) {
      expect((await post({ origin: `http://${name}:${port}` })).status).toBe(200)
      expect((await post({ origin: `http://${name}:${port + 1}` })).status).toBe(403)
      expect((await post({ origin: `https://${name}:${port}` })).status).toBe(403)
    }
    expect((await post({ origin: `http://evil.example:${port}` })).status).toBe(403)
    expect([...ownOrigins('https://pit.example', { host: '192.168.1.5', port: 80 })]).toEqual([
      'https://pit.example',
      'http://localhost',
      'http://127.0.0.1',
      'http://[::1]',
      'http://192.168.1.5',
    ])
    expect(ownOrigins('https://pit.example', { host: '::', port: 1 }).size).toBe(4)
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

describe('defects', () => {
  it('responds to a defect with 503 and its id, and logs the stack without the secret in it', async () => {
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
    expect(app.log.find((line) => line.includes('createApi.test.ts'))).toContain('pit_w_[redacted]')
  })

  it('responds with 503 if the answer cannot be serialised', async () => {
    await open({ handlers: { 'auth.me': () => ({ n: 1n }) as never } })
    expect((await app.inject({ url: ME, headers: bearer })).status).toBe(503)
  })

  it('uses the route’s status for a refusal', async () => {
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
