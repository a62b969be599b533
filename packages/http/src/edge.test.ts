import { connect } from 'node:net'
import { refusal } from '@pit/protocol'
import { afterEach, describe, expect, it } from 'vitest'
import { bearer, errorOf, GOOD_KEY, ME } from '../test/edgeClient.ts'
import { openTestApp } from '../test/testApp.ts'

let app: Awaited<ReturnType<typeof openTestApp>>
const open = async (options: Parameters<typeof openTestApp>[0] = {}) => {
  app = openTestApp(options)
  await app.listen()
  return app
}
afterEach(() => app.close())

describe('unknown keys', () => {
  it('reach the store no oftener than failures are allowed, under concurrency too; no known key waits', async () => {
    let lookups = 0
    const knownKeys = new Set([GOOD_KEY])
    await open({
      gate: {
        authenticate: async (text, which) => {
          if (knownKeys.has(text)) return { keyId: 7 }
          if (which !== 'known') lookups += 1
          await new Promise((resolve) => setTimeout(resolve, 5))
          return null
        },
      },
    })
    const ask = (i: number) =>
      app.inject({ url: ME, headers: { authorization: `Bearer pit_w_${String(i).padStart(43, 'x')}` } })
    const answers = await Promise.all(Array.from({ length: 300 }, (_, i) => ask(i)))
    const count = (status: number) => answers.filter((answer) => answer.status === status).length
    expect([count(401), count(429)]).toEqual([20, 280])
    // A few are in progress when the last failure is drawn.
    expect(lookups).toBeLessThan(20 + 4)
    expect((await app.inject({ url: ME, headers: bearer })).status).toBe(200)
  })

  it('that are good all pass, however many come at once from one address', async () => {
    let nextId = 1
    await open({
      gate: { authenticate: async (_text, which) => (which === 'any' ? { keyId: nextId++ } : null) },
    })
    const answers = await Promise.all(
      Array.from({ length: 60 }, () => app.inject({ url: ME, headers: bearer })),
    )
    expect(answers.filter(({ status }) => status !== 200).map(({ text }) => text)).toEqual([])
  })
})

describe('an answer that cannot be sent', () => {
  it.each<[string, () => unknown]>([
    ['a bigint', () => ({ n: 1n })],
    ['nothing', () => undefined],
    ['a function', () => () => 1],
    ['an invalid header', () => ({ serialised: '{}', contentType: 'a\r\nb: c' })],
    [
      'a refusal with a bigint in it',
      () => {
        throw refusal('BAD_REQUEST', { field: 1n as never })
      },
    ],
  ])('%s is a 503 with its id, and the server keeps running', async (_what, answer) => {
    await open({ handlers: { 'auth.me': answer } })
    const got = await app.inject({ url: ME, headers: bearer })
    expect([got.status, errorOf(got)['code'], got.headers['retry-after']]).toEqual([
      503,
      'ENGINE_UNAVAILABLE',
      '5',
    ])
    expect(errorOf(got)['message']).toContain(got.headers['x-request-id'])
    expect((await app.inject({ url: '/api/v1/config' })).status).toBe(200)
  })
})

it('closes connections beyond the limit per address, and accepts new ones when they end', async () => {
  await open({ config: { trustedProxies: [], maxConnectionsPerAddress: 2 } })
  const { port } = app.address()!
  const dial = async () => {
    const socket = connect({ port, host: '127.0.0.1' })
    socket.on('error', () => {})
    const ended = new Promise<string>((resolve) => socket.once('close', () => resolve('closed')))
    socket.write('GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n')
    const answered = new Promise<string>((resolve) => socket.once('data', () => resolve('answered')))
    return { socket, ended, said: await Promise.race([answered, ended]) }
  }
  const [first, second, third] = [await dial(), await dial(), await dial()]
  expect([first.said, second.said, third.said]).toEqual(['answered', 'answered', 'closed'])
  first.socket.destroy()
  await expect.poll(async () => (await dial()).said).toBe('answered')
})

it('does not wait for idle connections', async () => {
  await open()
  const idle = connect({ port: app.address()!.port, host: '127.0.0.1' })
  const ended = new Promise((resolve) => idle.once('close', resolve))
  idle.on('error', () => {})
  await new Promise((resolve) => idle.once('connect', resolve))
  await new Promise((resolve) => setTimeout(resolve, 20))
  const startedMs = performance.now()
  await app.close()
  await ended
  expect(performance.now() - startedMs).toBeLessThan(2_500)
})
