import type { Address } from 'viem'
import type { Acts } from './acts.ts'
import type { Asset } from './amounts.ts'
import { type Assets, type CoreSymbol, STOCKS } from './coreTokens.ts'

export interface WorldFeed {
  address: Address
  decimals: number
  heartbeat_s: number
  deviation_bps: number
  session: 'always' | 'stock'
}

const FEED_DECIMALS = 8
const CRYPTO = ['ETH', 'cbBTC', 'USDG'] as const
/** Like the real chain's: a new round once a day, or when the price has moved half a percent. */
const HEARTBEAT_S = 86_400
const DEVIATION_BPS = 50
/** Listed without a feed, like most stocks. */
const FEEDLESS: readonly string[] = ['GOOGL']

/** Queues a feed per asset that has one. WETH shares ETH's. */
export function queueFeeds(acts: Acts): Record<string, WorldFeed> {
  const stocks = STOCKS.map(({ symbol }) => symbol).filter((symbol) => !FEEDLESS.includes(symbol))
  const symbols = [...CRYPTO, ...stocks]
  return Object.fromEntries(
    symbols.map((symbol) => [
      symbol,
      {
        address: acts.deploy('OracleFeed', [`${symbol} / USD`, FEED_DECIMALS]),
        decimals: FEED_DECIMALS,
        heartbeat_s: HEARTBEAT_S,
        deviation_bps: DEVIATION_BPS,
        session: (CRYPTO as readonly string[]).includes(symbol) ? 'always' : 'stock',
      },
    ]),
  )
}

/** A feed's answer for a price in micro-dollars. */
export const answerOf = (priceMicroUsd: bigint): bigint => priceMicroUsd * 10n ** BigInt(FEED_DECIMALS - 6)

/** Queues one round of every feed at the initial prices, moved by this many basis points. */
export function queueRounds(
  acts: Acts,
  feeds: Record<string, WorldFeed>,
  assets: Assets,
  round: { atS: bigint; movedBps: bigint },
): void {
  for (const [symbol, feed] of Object.entries(feeds)) {
    const asset: Asset = assets[symbol as CoreSymbol]
    const movedBps = symbol === 'USDG' ? 0n : round.movedBps
    const answer = (answerOf(asset.priceMicroUsd) * (10_000n + movedBps)) / 10_000n
    acts.call('OracleFeed', feed.address, 'setRound', [answer, round.atS], 90_000n)
  }
}
