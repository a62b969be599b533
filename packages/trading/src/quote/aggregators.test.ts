import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ChainProfile } from '@pit/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AggregatorRequest, createAggregators, isAggregator } from './aggregators.ts'
import { createLabels } from './labels.ts'
import { crypto, ETH, profile, USDG } from './test/fakeWorld.ts'

const request: AggregatorRequest = { tokenIn: ETH, tokenOut: USDG, amountIn: 1_000n, maxOut: 5_000n }
const honest = {
  chain_id: 4663,
  token_in: ETH,
  token_out: USDG,
  amount_in: '1000',
  amount_out: '4000',
  gas: 200_000,
}

let behave: (response: ServerResponse) => void
let lastUrl = ''
const server = createServer((incoming, response) => {
  lastUrl = incoming.url ?? ''
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

const open = (budgetMs = 5_000, urls: Record<string, string> = { aggregator_1: `${base}/a` }) =>
  createAggregators({
    profile: { ...profile, vendors: { ...profile.vendors, aggregator_urls: urls } } as ChainProfile,
    crypto,
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
  it('is asked for the amount that is swapped, and shown beside the routes', async () => {
    says(honest)
    const { found, failed } = await open().ask(['aggregator_1'], request)
    expect(failed).toEqual([])
    expect(found).toEqual([
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
    expect(lastUrl).toBe(`/a/quote?token_in=${ETH}&token_out=${USDG}&amount_in=1000`)
  })

  it.each<[string, unknown, number]>([
    ['an error', honest, 500],
    ['no route', honest, 404],
    ['no JSON', '{"amount_out":', 200],
    ['null', null, 200],
    ['a list', [honest], 200],
    ['another chain', { ...honest, chain_id: 1 }, 200],
    ['another input', { ...honest, token_in: USDG }, 200],
    ['another output', { ...honest, token_out: ETH }, 200],
    ['another amount', { ...honest, amount_in: '999' }, 200],
    ['no amount', { ...honest, amount_out: undefined }, 200],
    ['nothing', { ...honest, amount_out: '0' }, 200],
    ['less than nothing', { ...honest, amount_out: '-4000' }, 200],
    ['a number', { ...honest, amount_out: 4_000 }, 200],
    ['a fraction', { ...honest, amount_out: '40.5' }, 200],
    ['hex', { ...honest, amount_out: '0xfff' }, 200],
    ['more than the market could ever give', { ...honest, amount_out: '5001' }, 200],
    ['a megabyte', 'x'.repeat(1_000_000), 200],
  ])('that answers %s is a failed row', async (_, body, status) => {
    says(body, status)
    const { found, failed } = await open().ask(['aggregator_1'], request)
    expect(found).toEqual([])
    expect(failed).toEqual([expect.objectContaining({ venue: 'aggregator_1', why: expect.any(String) })])
  })

  it('is not believed past 128 bits, whatever the market says', async () => {
    says({ ...honest, amount_out: (1n << 128n).toString() })
    const { failed } = await open().ask(['aggregator_1'], { ...request, maxOut: null })
    expect(failed.length).toBe(1)
  })

  it.each([undefined, -5, 1.5, '200000', 10, 1e12])('that says %s of gas has the usual', async (gas) => {
    says({ ...honest, gas })
    expect((await open().ask(['aggregator_1'], request)).found[0]!.gas).toBe(260_000)
  })

  it('that does not answer in time is left, and delays nobody further', async () => {
    behave = () => {}
    const { failed } = await open(50).ask(['aggregator_1', 'aggregator_1'], request)
    expect(failed.map(({ why }) => why)).toEqual(['It did not answer in time.'])
  })

  it('that sends its answer drop by drop is left too', async () => {
    behave = (response) => {
      response.writeHead(200)
      response.write('{')
    }
    expect((await open(50).ask(['aggregator_1'], request)).failed.length).toBe(1)
  })

  it('that sends elsewhere is not followed', async () => {
    behave = (response) => {
      response.writeHead(302, { location: `${base}/b/quote` })
      response.end()
    }
    expect((await open().ask(['aggregator_1'], request)).failed.length).toBe(1)
  })

  it('that is not set up, or not there, says so', async () => {
    const { failed } = await open(5_000, { aggregator_2: 'http://127.0.0.1:9' }).ask(
      ['aggregator_1', 'aggregator_2'],
      request,
    )
    expect(failed.map(({ venue, why }) => [venue, why]).sort()).toEqual([
      ['aggregator_1', 'It is not set up here.'],
      ['aggregator_2', 'It does not answer.'],
    ])
  })

  it('is asked no more while too many questions are open', async () => {
    const waiting: ServerResponse[] = []
    behave = (response) => void waiting.push(response)
    const aggregators = open(5_000)
    const asked = Array.from({ length: 70 }, () => aggregators.ask(['aggregator_1'], request))
    const early = await Promise.all(asked.slice(64))
    expect(early.map(({ failed }) => failed[0]?.why)).toEqual(Array(6).fill('Too many questions are open.'))
    says(honest)
    // Those that came before are answered when their turn comes.
    const flush = setInterval(() => {
      for (const response of waiting.splice(0)) behave(response)
    }, 5)
    const late = await Promise.all(asked.slice(0, 64))
    clearInterval(flush)
    expect(late.every(({ found }) => found.length === 1)).toBe(true)
    expect((await aggregators.ask(['aggregator_1'], request)).found.length).toBe(1)
  })

  it('knows its routes by their ids', async () => {
    says(honest)
    const aggregators = open()
    const [row] = (await aggregators.ask(['aggregator_1'], request)).found
    expect(aggregators.isRoute(row!.id, ETH, USDG)).toBe(true)
    expect(aggregators.isRoute(row!.id, USDG, ETH)).toBe(false)
    expect(['venue_pool', 'aggregator_3', 'aggregator_4'].map(isAggregator)).toEqual([false, true, false])
  })
})
