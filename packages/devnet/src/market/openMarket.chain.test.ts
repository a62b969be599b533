import { createCrypto } from '@pit/chain'
import { toEventHash } from 'viem'
import { afterEach, expect, it } from 'vitest'
import { buildSmallWorld } from '../../test/smallWorld.ts'
import { openChain } from '../engine/chain.ts'
import type { BlockJson, Chain, Hex } from '../engine/types.ts'
import { pricedPools } from './arbitrage.ts'
import { feePips, priceOfSqrtX96 } from './fair.ts'
import { type Market, openMarket } from './openMarket.ts'
import { readPools } from './pools.ts'
import { createQuoteNearMid } from './quoteNearMid.ts'
import { createSender } from './sender.ts'
import { marketCast } from './setupMarket.ts'
import { siblingPools } from './siblings.ts'
import { type MarketWorld, NATIVE } from './types.ts'

const START_S = 1_790_000_000n
const open: { chain: Chain; market: Market }[] = []
afterEach(async () => {
  for (const { chain, market } of open.splice(0)) {
    await market.close()
    await chain.close()
  }
})

async function startMarket(seed: string, tradesPerS = 20) {
  const crypto = await createCrypto()
  const chain = await openChain({ now: () => Number(START_S) * 1000, log: () => {} })
  const small = await buildSmallWorld(chain, START_S)
  const failures: unknown[] = []
  const market = await openMarket({
    chain,
    crypto,
    ...small,
    seed,
    tradesPerS,
    feedStepBps: 10_000,
    blockMs: 100,
    session: 'hours',
    stockSession: () => true,
    log: (message, fields) => failures.push([message, fields]),
  })
  open.push({ chain, market })
  return { chain, market, world: small.world, failures }
}

/** Drives blocks by hand: a step, then a block at a fixed time. */
async function run(chain: Chain, market: Market, blocks: number): Promise<BlockJson[]> {
  const mined: BlockJson[] = []
  for (let i = 0; i < blocks; i++) {
    await market.step()
    mined.push(await chain.mine(START_S + 1n + BigInt(Math.floor(i / 10))))
  }
  return mined
}

async function statuses(chain: Chain, blocks: BlockJson[]) {
  const receipts = await Promise.all(
    blocks
      .flatMap((block) => block.transactions)
      .map((tx) => chain.request<{ status: Hex; gasUsed: Hex }>('eth_getTransactionReceipt', [tx.hash])),
  )
  return receipts.map((receipt) => receipt.status)
}

async function deviations(chain: Chain, world: MarketWorld, market: Market): Promise<number[]> {
  const priced = pricedPools(world)
  const states = await readPools(
    chain,
    world.contracts,
    priced.map(({ pool }) => pool),
  )
  return priced.map(({ pool, asset0, asset1 }, i) => {
    const fair = (market.prices().get(asset0.symbol) ?? 0) / (market.prices().get(asset1.symbol) ?? 1)
    const mid = priceOfSqrtX96(states[i]?.sqrtX96 ?? 0n, asset0.decimals, asset1.decimals)
    return Math.abs(mid / fair - 1) * 10_000 - feePips(pool) / 100
  })
}

it('keeps every pool near its price through a jump, without failures', async () => {
  const { chain, market, world, failures } = await startMarket('band')
  const blocks = await run(chain, market, 60)
  market.hold('ETH', 3_300)
  blocks.push(...(await run(chain, market, 60)))
  for (const past of await deviations(chain, world, market)) expect(past).toBeLessThan(20)
  expect(failures).toEqual([])
  const all = await statuses(chain, blocks)
  expect(all.length).toBeGreaterThan(150)
  expect(all.filter((status) => status !== '0x1')).toEqual([])
  expect(market.stats()).toMatchObject({ refused: 0, held: ['ETH'] })
  const events = await chain.request<{ topics: Hex[] }[]>('eth_getLogs', [
    { fromBlock: '0x0', toBlock: 'latest', address: marketCast(await createCrypto()).arbitrageur },
  ])
  const named = (signature: string) =>
    events.filter(({ topics }) => topics[0] === toEventHash(signature)).length
  expect(named('Moved(uint256,bool)')).toBeGreaterThan(6)
  expect(named('Skipped(uint256,bytes)')).toBe(0)
})

it('brings the pools of an unpriced token to one price', async () => {
  const { chain, market, world } = await startMarket('siblings', 0)
  const group = siblingPools(world)[0] ?? []
  expect(group).toHaveLength(2)
  const gapBps = async () => {
    const states = await readPools(
      chain,
      world.contracts,
      group.map(({ pool }) => pool),
    )
    const usd = group.map(({ side, other }, i) => {
      const [d0, d1] = side === 0 ? [18, other.decimals] : [other.decimals, 18]
      const ratio = priceOfSqrtX96(states[i]?.sqrtX96 ?? 0n, d0, d1)
      return (side === 0 ? ratio : 1 / ratio) * (market.prices().get(other.symbol) ?? 0)
    })
    return Math.abs((usd[0] ?? 0) / (usd[1] ?? 1) - 1) * 10_000
  }
  expect(await gapBps()).toBeGreaterThan(600)
  await run(chain, market, 120)
  // Each pool's own fee and slack on either side of their common price.
  expect(await gapBps()).toBeLessThan(100)
})

it('sends the same transactions for the same seed, others for another', async () => {
  const hashes = async (seed: string) => {
    const { chain, market } = await startMarket(seed)
    return (await run(chain, market, 30)).map((block) => block.transactions.map((tx) => tx.hash))
  }
  const first = await hashes('one')
  expect(first.flat().length).toBeGreaterThan(20)
  expect(await hashes('one')).toEqual(first)
  expect(await hashes('two')).not.toEqual(first)
})

it('sends nothing while it is off, and continues when it is on again', async () => {
  const { chain, market } = await startMarket('off')
  const count = async () => {
    let sent = 0
    for (let i = 0; i < 12; i++) {
      sent += (await chain.mine()).transactions.length
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    return sent
  }
  expect(await count()).toBe(0)
  await market.start()
  expect(await count()).toBeGreaterThan(3)
  await market.stop()
  await count()
  expect(await count()).toBe(0)
})

it('survives rejections: keys used by others, a chain that rejects', async () => {
  const { chain, market } = await startMarket('rough')
  await run(chain, market, 5)
  const crypto = await createCrypto()
  for (const account of marketCast(crypto).crowd) {
    await createSender({ chain, crypto }).send(account, [{ to: account.address, data: '0x', gas: 21_000n }])
  }
  await run(chain, market, 10)
  const { sendRaw } = chain
  let refuse = true
  chain.sendRaw = async (raw) => {
    if (refuse) throw new Error('no')
    return sendRaw(raw)
  }
  await run(chain, market, 10)
  expect(market.stats().refused).toBeGreaterThan(5)
  refuse = false
  const after = await run(chain, market, 20)
  expect(after.flatMap((block) => block.transactions).length).toBeGreaterThan(15)
})

it('quotes near the mid for aggregators', async () => {
  const { chain, world } = await startMarket('quote')
  const quote = createQuoteNearMid(chain, world)
  const usdg = world.contracts.usdg
  const out = await quote(NATIVE, usdg, 10n ** 18n)
  expect(Number(out) / 1e6).toBeGreaterThan(2_980)
  expect(Number(out) / 1e6).toBeLessThan(3_000)
  const partner = world.assets.find((asset) => asset.symbol === 'PARTNER')?.token ?? NATIVE
  expect(Number(await quote(world.contracts.weth, partner, 10n ** 18n)) / 1e18).toBeGreaterThan(5_900)
  expect(await quote(NATIVE, world.contracts.weth, 1n)).toBeNull()
  expect(await quote(NATIVE, world.contracts.permit2, 10n ** 18n)).toBeNull()
})
