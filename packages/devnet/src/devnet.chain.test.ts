import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Devnet } from './devnet.ts'
import { startDevnet } from './devnet.ts'
import { pricedPools } from './market/arbitrage.ts'
import { feePips, priceOfSqrtX96 } from './market/fair.ts'
import { discoverVenues, marketWorldOf, registriesOf } from './market/index.ts'
import { readPools } from './market/pools.ts'

// The whole world in this process: the market's effect on every pool.

let devnet: Devnet
const failures: unknown[] = []

beforeAll(async () => {
  devnet = await startDevnet({
    host: '127.0.0.1',
    port: 0,
    vendorPort: 0,
    blockMs: 100,
    market: 'on',
    marketSeed: 'world',
    tradesPerS: 20,
    session: 'always',
    world: { longTail: 30, curves: 12, graduated: 1, historyS: 300 },
    log: (message, fields) => failures.push([message, fields]),
  })
})
afterAll(() => devnet?.close())

const blocks = async (count: number) => {
  const until = devnet.chain.head().number + BigInt(count)
  while (devnet.chain.head().number < until) await new Promise((resolve) => setTimeout(resolve, 50))
}

async function strayedBps(): Promise<Map<string, number>> {
  const { chain, market, world } = devnet
  const range = { fromBlock: 0n, toBlock: chain.head().number }
  const venues = await discoverVenues(chain, registriesOf(world.profile), range)
  const avoid = new Set(Object.values(world.gallery).map(({ address }) => address.toLowerCase()))
  const view = marketWorldOf(world.profile, venues, avoid)
  const priced = pricedPools(view)
  const states = await readPools(
    chain,
    view.contracts,
    priced.map(({ pool }) => pool),
  )
  const prices = market.prices()
  return new Map(
    priced.flatMap(({ pool, asset0, asset1 }, i): [string, number][] => {
      const state = states[i]
      // The narrow pool has no liquidity at such a price.
      if (!state) return []
      const fair = (prices.get(asset0.symbol) ?? 0) / (prices.get(asset1.symbol) ?? 1)
      const price = priceOfSqrtX96(state.sqrtX96, asset0.decimals, asset1.decimals)
      const name = `v${pool.version} ${asset0.symbol}/${asset1.symbol} ${pool.fee} ${pool.hooks.slice(0, 6)} #${i}`
      return [[name, Math.abs(price / fair - 1) * 10_000 - feePips(pool) / 100]]
    }),
  )
}

it('keeps every pool of core assets near its price, even after many jump', async () => {
  await blocks(40)
  for (const [symbol, factor] of [
    ['ETH', 1.06],
    ['NVDA', 0.93],
    ['cbBTC', 1.04],
  ] as const) {
    devnet.market.hold(symbol, (devnet.market.prices().get(symbol) ?? 0) * factor)
  }
  await blocks(150)
  const pools = [...(await strayedBps())]
  expect(pools.filter(([, bps]) => bps > 25)).toEqual([])
  expect(pools.length).toBeGreaterThanOrEqual(40)
})

it('trades without a refusal, a failure or a mismatch', async () => {
  const head = Number(devnet.chain.head().number)
  const failed: unknown[] = []
  let all = 0
  for (let block = head - 120; block <= head; block++) {
    const { transactions } = await devnet.chain.request<{ transactions: string[] }>('eth_getBlockByNumber', [
      `0x${block.toString(16)}`,
      false,
    ])
    for (const hash of transactions) {
      const receipt = await devnet.chain.request<{ status: string; to: string }>(
        'eth_getTransactionReceipt',
        [hash],
      )
      all += 1
      if (receipt.status !== '0x1') failed.push(receipt.to)
    }
  }
  expect(all).toBeGreaterThan(60)
  expect(failed).toEqual([])
  expect(devnet.market.stats()).toMatchObject({ failures: 0, refused: 0 })
  expect(failures).toEqual([])
})
