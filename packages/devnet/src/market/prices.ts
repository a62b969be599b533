import type { Chain } from '../engine/types.ts'
import { priceOfSqrtX96 } from './fair.ts'
import { call, readMany, word } from './multicall.ts'
import { readPools } from './pools.ts'
import type { Asset, AssetFeed, MarketWorld } from './types.ts'
import { moves, type StockSession, shouldPublish, stepPrice, type WalkTerms } from './walk.ts'

/** One round to write into a feed. */
export interface FeedRound {
  symbol: string
  feed: AssetFeed
  answer: bigint
  atS: bigint
}

interface Quoted {
  asset: Asset
  price: number
  anchor: number
  published: { price: number; atS: bigint }
  /** Set by hand: neither moves nor is published until released. */
  held: boolean
}

/** The market's dollar prices, moving block by block. */
export interface Prices {
  of(): ReadonlyMap<string, number>
  /** Moves every asset over the blocks since the last call. */
  walkTo(block: bigint, atS: bigint): void
  /** Due feeds, as rounds to write. */
  due(atS: bigint): FeedRound[]
  /** Marks these rounds as sent. */
  sent(rounds: FeedRound[]): void
  hold(symbol: string, price?: number): void
  release(): void
  held(): string[]
}

export interface PricesOptions {
  walk: WalkTerms
  feedStepBps: number
  session: StockSession
  /** Whether stocks trade at a time. */
  isOpen: (atMs: number) => boolean
}

/** A market that was stopped continues from its last prices, not through every block it missed. */
const MAX_STEPS = 600n

const answerOf = (price: number, decimals: number): bigint => BigInt(Math.round(price * 10 ** decimals))

/** Reads the feeds (and, for PARTNER, its pool): prices continue from the chain, after a restart too. */
export async function readPrices(chain: Chain, world: MarketWorld, options: PricesOptions): Promise<Prices> {
  const answers = await readMany(
    chain,
    world.contracts.multicall3,
    world.assets.map(({ feed, token }) =>
      feed ? call(feed.address, 'latestRoundData') : call(token, 'slot0'),
    ),
  )
  const [partner] = world.partnerPool ? await readPools(chain, world.contracts, [world.partnerPool]) : []
  const decimalsOf = (token: string) =>
    world.assets.find((asset) => asset.token.toLowerCase() === token.toLowerCase())?.decimals ?? 18
  const poolPrice = (asset: Asset): number | undefined => {
    const pool = world.partnerPool
    const token = asset.token.toLowerCase()
    if (!pool || !partner || ![pool.currency0.toLowerCase(), pool.currency1.toLowerCase()].includes(token))
      return undefined
    const [d0, d1] = [decimalsOf(pool.currency0), decimalsOf(pool.currency1)]
    const price = priceOfSqrtX96(partner.sqrtX96, d0, d1)
    return token === pool.currency0.toLowerCase() ? price : 1 / price
  }
  const rows = new Map<string, Quoted>()
  world.assets.forEach((asset, i) => {
    const fromFeed = asset.feed ? Number(word(answers[i], 1)) / 10 ** asset.feed.decimals : undefined
    const stable = asset.volatility === 0 ? asset.anchorUsd : undefined
    const price = stable ?? fromFeed ?? poolPrice(asset) ?? asset.anchorUsd
    if (!price) return
    const published = { price, atS: asset.feed ? word(answers[i], 3) : 0n }
    rows.set(asset.symbol, { asset, price, anchor: asset.anchorUsd ?? price, published, held: false })
  })
  return createPrices(rows, options, chain.head().number)
}

function createPrices(rows: Map<string, Quoted>, options: PricesOptions, start: bigint): Prices {
  let walked = start
  return {
    of: () => new Map([...rows].map(([symbol, { price }]) => [symbol, price])),
    walkTo(block, atS) {
      if (block - walked > MAX_STEPS) walked = block - MAX_STEPS
      const moving = [...rows.values()].filter(
        ({ held, asset }) => !held && asset.volatility !== 0 && moves(asset, options, atS),
      )
      for (; walked < block; walked++) {
        for (const row of moving) {
          row.price = stepPrice(options.walk, row.asset, row.price, row.anchor, walked + 1n)
        }
      }
      // After a restart from an older image the head may be behind the last step.
      walked = block
    },
    due(atS) {
      return [...rows.values()].flatMap(({ asset, price, published, held }) => {
        const { feed, symbol } = asset
        if (!feed || held || !moves(asset, options, atS)) return []
        const deviationBps = Math.min(feed.deviationBps, options.feedStepBps)
        if (!shouldPublish({ ...feed, deviationBps }, published, price, atS)) return []
        return [{ symbol, feed, answer: answerOf(price, feed.decimals), atS }]
      })
    },
    sent(rounds) {
      for (const { symbol, answer, feed, atS } of rounds) {
        const row = rows.get(symbol)
        if (row) row.published = { price: Number(answer) / 10 ** feed.decimals, atS }
      }
    },
    hold(symbol, price) {
      for (const row of rows.values()) {
        if (row.asset.symbol !== symbol) continue
        row.held = true
        if (price !== undefined) row.price = price
      }
    },
    release() {
      for (const row of rows.values()) {
        if (!row.held) continue
        row.held = false
        // Overwrites anything written to its feed by hand.
        row.published = { ...row.published, atS: 0n }
      }
    },
    held: () => [...rows.values()].filter((row) => row.held).map((row) => row.asset.symbol),
  }
}
