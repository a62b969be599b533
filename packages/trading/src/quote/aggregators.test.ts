import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ChainProfile } from '@pit/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AggregatorRequest, createAggregators, isAggregator } from './aggregators.ts'
import { createLabels } from './labels.ts'
import { crypto, ETH, profile, USDG } from './test/fakeWorld.ts'

const EEEE = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'
const request: AggregatorRequest = { tokenIn: ETH, tokenOut: USDG, swapIn: 1_000n, maxOut: 5_000n }
const summary = { tokenIn: EEEE, tokenOut: USDG, amountIn: '1000', amountOut: '4000', gas: '200000' }
const offer = (over: object = {}) => ({ code: 0, data: { routeSummary: { ...summary, ...over } } })
const honest = offer()

let behave: (response: ServerResponse) => void
let requests = 0
const server = createServer((_, response) => {
  requests += 1
  behave(response)
})
let base = ''
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const time = { nowMs: 1_800_000_000_000 }
const logged: unknown[] = []
const kyberswap = (url = `${base}/a`) => ({ kind: 'kyberswap', url, per_minute: 6_000 })
const open = (
  budgetMs = 5_000,
  aggregators: Record<string, object> = { aggregator_1: kyberswap() },
  vendorKeys: Record<string, string> = {},
) =>
  createAggregators({
    profile: { ...profile, vendors: { ...profile.vendors, aggregators } } as ChainProfile,
    crypto,
    clock: { nowMs: () => time.nowMs },
    logger: { warn: (...line: unknown[]) => void logged.push(line) },
    vendorKeys,
    labels: createLabels(profile),
    budgetMs,
  })
const says = (body: unknown, status = 200) => {
  behave = (response) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }
}

describe('an aggregator', () => {
  it('quotes the swapped amount and is shown beside the routes', async () => {
    says(honest)
    const { routes, failed } = await open().quote(['aggregator_1'], request)
    expect(failed).toEqual([])
    expect(routes).toEqual([
      {
        id: expect.stringMatching(/^0x[0-9a-f]{32}$/),
        venue: 'aggregator_1',
        label: 'ETH → USDG (aggregator_1)',
        way: null,
        quotedBy: 'vendor',
        amountOut: 4_000n,
        gas: 200_000,
        impactBps: null,
        risks: [],
      },
    ])
  })

  it('is ignored beyond 128 bits, whatever the market price', async () => {
    says(offer({ amountOut: (1n << 128n).toString() }))
    const { failed } = await open().quote(['aggregator_1'], { ...request, maxOut: null })
    expect(failed.length).toBe(1)
  })

  it.each([undefined, -5, 1.5, 'much', '10', 1e12])('that says %s of gas has the usual', async (gas) => {
    says(offer({ gas }))
    expect((await open().quote(['aggregator_1'], request)).routes[0]!.gas).toBe(260_000)
  })

  it('that times out is skipped without further delay', async () => {
    behave = () => {}
    const { failed } = await open(50).quote(['aggregator_1', 'aggregator_1'], request)
    expect(failed.map(({ why }) => why)).toEqual(['Timed out.'])
  })

  it('reports that it is not configured or not reachable', async () => {
    const { failed } = await open(5_000, { aggregator_2: kyberswap('http://127.0.0.1:9') }).quote(
      ['aggregator_1', 'aggregator_2'],
      request,
    )
    expect(failed.map(({ venue, why }) => [venue, why]).sort()).toEqual([
      ['aggregator_1', 'Not configured on this server.'],
      ['aggregator_2', 'Unreachable.'],
    ])
  })

  it('gets no request while too many are open', async () => {
    const waiting: ServerResponse[] = []
    behave = (response) => void waiting.push(response)
    const aggregators = open(5_000)
    const requests = Array.from({ length: 70 }, () => aggregators.quote(['aggregator_1'], request))
    const early = await Promise.all(requests.slice(64))
    expect(early.map(({ failed }) => failed[0]?.why)).toEqual(Array(6).fill('Too many open requests.'))
    says(honest)
    // Earlier requests are answered in turn.
    const flush = setInterval(() => {
      for (const response of waiting.splice(0)) behave(response)
    }, 5)
    const late = await Promise.all(requests.slice(0, 64))
    clearInterval(flush)
    expect(late.every(({ routes }) => routes.length === 1)).toBe(true)
    expect((await aggregators.quote(['aggregator_1'], request)).routes.length).toBe(1)
  })

  it('is not called more often than it allows', async () => {
    says(honest)
    const slow = open(5_000, { aggregator_1: { ...kyberswap(), per_minute: 3 } })
    const ask = async () => (await slow.quote(['aggregator_1'], request)).failed[0]?.why ?? 'offered'
    const before = requests
    const RESTING = 'Rate limited; paused.'
    const results = [await ask(), await ask(), await ask(), await ask()]
    expect(results).toEqual(['offered', 'offered', 'offered', RESTING])
    expect(requests - before).toBe(3)
    time.nowMs += 20_000
    expect([await ask(), await ask()]).toEqual(['offered', RESTING])
  })

  it('is not called before its retry time', async () => {
    behave = (response) => void response.writeHead(429, { 'retry-after': '30' }).end()
    const aggregators = open()
    const ask = async () => (await aggregators.quote(['aggregator_1'], request)).failed[0]?.why ?? 'offered'
    const RESTING = 'Rate limited; paused.'
    expect(await ask()).toBe(RESTING)
    says(honest)
    const before = requests
    time.nowMs += 29_000
    expect([await ask(), requests - before]).toEqual([RESTING, 0])
    time.nowMs += 2_000
    expect(await ask()).toBe('offered')
  })

  it('without its required key is off, and logs that once', async () => {
    logged.length = 0
    const uniswap = { aggregator_1: { kind: 'uniswap', url: `${base}/a` } }
    const before = requests
    const off = open(5_000, uniswap)
    for (let i = 0; i < 3; i++) {
      const { failed } = await off.quote(['aggregator_1'], request)
      expect(failed[0]?.why).toBe('Requires an API key; none is configured.')
    }
    expect([requests - before, logged]).toEqual([
      0,
      [[{ aggregator: 'aggregator_1', kind: 'uniswap' }, expect.stringContaining('VENDOR_KEYS')]],
    ])
    open(5_000, uniswap, { uniswap: 'key-of-ours' })
    expect(logged.length).toBe(1)
  })

  it('with an unknown name or kind fails startup', () => {
    expect(() => open(5_000, { aggregator_1: { kind: 'odos', url: base } })).toThrow(
      'vendors.aggregators.aggregator_1: unknown kind "odos"',
    )
    expect(() => open(5_000, { aggregator_4: kyberswap() })).toThrow('vendors.aggregators.aggregator_4: use')
  })

  it('recognizes its routes by their ids', async () => {
    says(honest)
    const aggregators = open()
    const [row] = (await aggregators.quote(['aggregator_1'], request)).routes
    expect(aggregators.isRoute(row!.id, ETH, USDG)).toBe(true)
    expect(aggregators.isRoute(row!.id, USDG, ETH)).toBe(false)
    expect(['venue_pool', 'aggregator_3', 'aggregator_4'].map(isAggregator)).toEqual([false, true, false])
  })
})
