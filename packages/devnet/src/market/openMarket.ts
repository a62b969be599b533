import type { Crypto } from '@pit/chain'
import type { Artifacts } from '../compile.ts'
import type { Chain } from '../engine/types.ts'
import { arbitrageRound, pricedPools } from './arbitrage.ts'
import { venuesOf, wishesFor } from './crowd.ts'
import { crowdOrders } from './crowdTxs.ts'
import { type FeedRound, readPrices } from './prices.ts'
import { createSender } from './sender.ts'
import { type Fund, marketCast, setupMarket } from './setupMarket.ts'
import { siblingPools, siblingRound } from './siblings.ts'
import type { MarketWorld } from './types.ts'
import type { StockSession } from './walk.ts'

export interface MarketOptions {
  chain: Chain
  crypto: Crypto
  world: MarketWorld
  artifacts: Artifacts
  seed: string
  tradesPerS: number
  /** Feeds publish at this deviation if their own is larger. */
  feedStepBps: number
  blockMs: number
  session: StockSession
  /** Whether stocks trade at a time, by hours and holidays. */
  stockSession: (atMs: number) => boolean
  /** Writes rounds into feeds, as their operator. */
  publish: (rounds: FeedRound[]) => Promise<void>
  fund: Fund
  log: (message: string, fields?: Record<string, unknown>) => void
}

export interface Market {
  /** Trades after every block from now on; feeds set by hand are released. */
  start(): Promise<void>
  /** Pauses: writes no feed and does not trade. */
  stop(): Promise<void>
  isOn(): boolean
  /** One block's market activity, for callers that drive the blocks. */
  step(): Promise<void>
  /** Fixes an asset's price (and its feed) until the market is started again. */
  hold(symbol: string, price?: number): void
  prices(): ReadonlyMap<string, number>
  stats(): { steps: number; skipped: number; failures: number; sent: number; refused: number; held: string[] }
  /** Stops and waits for the running step. */
  close(): Promise<void>
}

const ROUND = { slackBps: 4, maxPools: 16, maxMoves: 6 }
/** Blocks between rounds; with few trades a second, pools leave their bands slowly. */
const ROUND_EVERY = {
  usual: { arbitrage: 5n, siblings: 20n },
  slow: { arbitrage: 40n, siblings: 50n },
}
const FEW_TRADES_PER_S = 10
/** For unpriced tokens: `maxPools` counts tokens here. */
const SIBLING_ROUND = { slackBps: 10, maxPools: 4, maxMoves: 4 }
const REFILL_EVERY = 6_000n
/** At most about half of a block's gas, whatever the rate. */
const MAX_TRADES_PER_BLOCK = 16

export async function openMarket(options: MarketOptions): Promise<Market> {
  const { chain, crypto, world, seed, log } = options
  const sender = createSender({ chain, crypto })
  const cast = marketCast(crypto)
  const blockS = options.blockMs / 1000
  const prices = await readPrices(chain, world, {
    walk: { seed, blockS },
    feedStepBps: options.feedStepBps,
    session: options.session,
    isOpen: options.stockSession,
  })
  const priced = pricedPools(world)
  const siblings = siblingPools(world)
  const venues = venuesOf(world)
  const arbitrageDeps = { chain, world, arbitrageur: cast.arbitrageur }
  const every = ROUND_EVERY[options.tradesPerS < FEW_TRADES_PER_S ? 'slow' : 'usual']
  const crowd = {
    seed,
    tradesPerBlock: options.tradesPerS * blockS,
    maxPerBlock: MAX_TRADES_PER_BLOCK,
    accounts: cast.crowd.length,
  }
  const counts = { steps: 0, skipped: 0, failures: 0 }
  let ready = false
  /** Set while the market is on: it steps with each block. */
  let unwatch: (() => void) | undefined
  let underWay: Promise<void> | undefined

  /** A failing part skips its share of this block, never the market. */
  const attempt = async (part: string, run: () => Promise<unknown>) => {
    try {
      await run()
    } catch (error) {
      counts.failures += 1
      log('market: a part of a step failed', {
        part,
        error: error instanceof Error ? error.message : String(error),
      })
    }
  }

  async function refill(): Promise<void> {
    await setupMarket({ ...options, sender }, cast, prices.of())
    ready = true
  }

  async function publish(atS: bigint): Promise<void> {
    const rounds = prices.due(atS)
    if (rounds.length === 0) return
    await options.publish(rounds)
    prices.sent(rounds)
  }

  async function arbitrage(block: bigint): Promise<void> {
    const round = Number(block / every.arbitrage)
    const tx = await arbitrageRound(arbitrageDeps, ROUND, priced, prices.of(), round)
    if (tx) await sender.send(cast.keeper, [tx])
  }

  async function alignSiblings(block: bigint): Promise<void> {
    const round = Number(block / every.siblings)
    const tx = await siblingRound(arbitrageDeps, SIBLING_ROUND, siblings, prices.of(), round)
    if (tx) await sender.send(cast.keeper, [tx])
  }

  async function trade(block: bigint): Promise<void> {
    const wishes = wishesFor(crowd, venues, block)
    if (wishes.length === 0) return
    const orders = await crowdOrders(chain, world, cast.crowd, wishes)
    for (const { account, txs } of orders) await sender.send(account, txs)
  }

  async function step(): Promise<void> {
    const { number, timestampS } = chain.head()
    counts.steps += 1
    if (!ready || number % REFILL_EVERY === 0n) await attempt('refill', refill)
    prices.walkTo(number, timestampS)
    await attempt('publish', () => publish(timestampS))
    if (number % every.arbitrage === 0n) await attempt('arbitrage', () => arbitrage(number))
    if (number % every.siblings === 3n) await attempt('siblings', () => alignSiblings(number))
    await attempt('crowd', () => trade(number))
  }

  const unsubscribe = chain.onBlock(() => {
    if (!unwatch) return
    // Blocks never wait for the market: a busy step skips this one.
    if (underWay) {
      counts.skipped += 1
      return
    }
    underWay = step().finally(() => {
      underWay = undefined
    })
  })

  const end = () => {
    unwatch?.()
    unwatch = undefined
  }

  return {
    async start() {
      prices.release()
      if (!ready) await attempt('setup', refill)
      unwatch ??= chain.watch()
    },
    async stop() {
      end()
      await underWay
    },
    isOn: () => unwatch !== undefined,
    step,
    hold: prices.hold,
    prices: prices.of,
    stats: () => {
      const { sent, refused } = sender.stats()
      return { ...counts, sent, refused, held: prices.held() }
    },
    async close() {
      end()
      unsubscribe()
      await underWay
    },
  }
}
