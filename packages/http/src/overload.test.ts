import { afterEach, describe, expect, it } from 'vitest'
import { bearer, errorOf, ME } from '../test/edgeClient.ts'
import { openTestApp } from '../test/testApp.ts'
import type { PagePlan } from './plan.ts'
import { PASSED } from './rates/limiter.ts'

let app: Awaited<ReturnType<typeof openTestApp>>
const open = async (options: Parameters<typeof openTestApp>[0] = {}) => {
  app = await openTestApp(options)
  return app
}
afterEach(() => app.close())

describe('under load and at shutdown', () => {
  it('sheds before any work if too many requests are in flight', async () => {
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

  it('sheds pages and wallet calls like routes, and keeps health', async () => {
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const reply = { status: 200, body: 'text', contentType: 'text/plain' }
    const page: PagePlan = { kind: 'page', name: 'guide', reply: () => held.then(() => reply) }
    await open({
      config: { maxInFlight: 1 },
      pages: [{ path: '/guide', page }],
      rpc: [{ path: '/rpc', name: 'rpc', handle: async () => ({}) }],
    })
    const first = app.inject({ url: '/guide' })
    await new Promise((resolve) => setTimeout(resolve, 50))
    const second = await Promise.all([
      app.inject({ url: '/guide' }),
      app.inject({ method: 'POST', url: '/rpc', body: {} }),
      app.inject({ url: '/api/v1/health' }),
    ])
    expect(second.map(({ status }) => status)).toEqual([503, 503, 200])
    release()
    expect((await first).status).toBe(200)
    expect((await app.inject({ url: '/guide' })).status).toBe(200)
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

  it('finishes requests in flight before it closes, and announces that it closes', async () => {
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

  it('keeps serving while it drains, and asks every client to reconnect', async () => {
    await open()
    const request = { url: ME, headers: { ...bearer, connection: 'keep-alive' } }
    expect((await app.inject(request)).headers.connection).not.toBe('close')
    app.drain()
    const { status, headers } = await app.inject(request)
    expect([status, headers.connection]).toEqual([200, 'close'])
  })

  it('does not wait forever for a hanging handler', async () => {
    await open({ times: { closeMs: 100 }, handlers: { 'auth.me': () => new Promise(() => {}) } })
    const hanging = app.inject({ url: ME, headers: bearer }).catch((error: Error) => error.message)
    await new Promise((resolve) => setTimeout(resolve, 50))
    const startedMs = performance.now()
    await app.close()
    expect(performance.now() - startedMs).toBeLessThan(5_000)
    expect(await hanging).toMatch(/hang up|reset/i)
  })
})
