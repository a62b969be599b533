import { ACCOUNT, type ChainProfile, divDown, type Feed, rescaleDown } from '@pit/protocol'
import { decodeFunctionResult, encodeFunctionData } from 'viem'
import { v3PoolAbi } from './abis/exchanges.ts'
import { aggregatorV3Abi } from './abis/reading.ts'
import type { Address, Hex } from './bytes/hex.ts'
import { sqrtPriceAtTick } from './pools/tickMath.ts'
import { stockIssuerOf } from './stocks/index.ts'

/**
 * Sources of independent prices and the decoding of their results, shared by the service, the co-signer and the
 * client, each with a separate node.
 */

export type MarkSource =
  /** `frozen`: asks whether the issuer holds a stock's feed still. */
  | { kind: 'feed'; token: Address; symbol: string; feed: Feed; frozen: MarkCall | null }
  | { kind: 'twap'; token: Address; symbol: string; decimals: number; pool: Address; quote: QuoteToken }
  /** A dollar by definition; the feed is watched for a loss of the peg. */
  | { kind: 'fixed'; token: Address; symbol: string; feed: Feed | null }
interface MarkCall {
  to: Address
  data: Hex
}
interface QuoteToken {
  address: Address
  decimals: number
}

const ONE_E18 = 10n ** 18n
/** Clocks differ a little; a round from further ahead than this is wrong. */
const MAX_AHEAD_S = 120
/** Further from a dollar than this, USDG is disclosed, and holds what trades unattended. */
const MAX_OFF_PEG_BPS = 100n

/** Sources of prices on this chain. ETH's feed also prices WETH, which unwraps to it. */
export function markSourcesOf(profile: ChainProfile): MarkSource[] {
  const usdg = profile.core_tokens.find(({ symbol }) => symbol === 'USDG')
  const ethFeed = profile.core_tokens.find(({ native }) => native)?.feed ?? null
  const { beacon } = profile.stocks
  const frozenOf = (token: Address) =>
    beacon === null ? null : stockIssuerOf(profile).oraclePausedCall(token)
  const sources: MarkSource[] = []
  for (const { symbol, address, decimals, feed, kind } of profile.core_tokens) {
    const token = address.toLowerCase() as Address
    const ownFeed = feed ?? (symbol === 'WETH' ? ethFeed : null)
    const pin = profile.pins.partner_usdg
    if (symbol === 'USDG') sources.push({ kind: 'fixed', token, symbol, feed })
    else if (ownFeed) {
      const frozen = kind === 'stock' ? frozenOf(token) : null
      sources.push({ kind: 'feed', token, symbol, feed: ownFeed, frozen })
    } else if (symbol === 'PARTNER' && usdg && pin?.version === 'v3') {
      const quote = { address: usdg.address.toLowerCase() as Address, decimals: usdg.decimals }
      sources.push({ kind: 'twap', token, symbol, decimals, pool: pin.address as Address, quote })
    }
  }
  for (const { symbol, address, feed } of profile.listed_stocks) {
    if (!feed) continue
    const token = address.toLowerCase() as Address
    sources.push({ kind: 'feed', token, symbol, feed, frozen: frozenOf(token) })
  }
  return sources
}

/** Tokens priced by an oracle, or a dollar by definition. A session with any other ends within a day. */
export function feedBackedTokens(profile: ChainProfile): ReadonlySet<Address> {
  const sources = markSourcesOf(profile).filter(({ kind }) => kind !== 'twap')
  return new Set(sources.map(({ token }) => token))
}

/** The calls whose answers hold the price; none for a price that is fixed and not watched. */
export function markCalls(source: MarkSource): MarkCall[] {
  if (source.kind === 'twap') {
    return [{ to: source.pool, data: OBSERVE }]
  }
  if (source.feed === null) return []
  const round = { to: source.feed.address as Address, data: LATEST_ROUND }
  return source.kind === 'feed' && source.frozen ? [round, source.frozen] : [round]
}

/** All feeds are read twice a second, so their calls are encoded once. */
const LATEST_ROUND = encodeFunctionData({ abi: aggregatorV3Abi, functionName: 'latestRoundData' })
const OBSERVE = encodeFunctionData({
  abi: v3PoolAbi,
  functionName: 'observe',
  args: [[ACCOUNT.partnerTwapS, 0]],
})

/** Dollars for one whole token times 10^18, or why there is none. */
export type Priced =
  | {
      priceE18: bigint
      source: 'oracle_feed' | 'twap' | 'fixed'
      /** Of the feed's round, which may stand for as long as the heartbeat. */
      updatedAtS: number
      /** Of a feed. */
      roundId?: bigint
      /** Not to be relied on now: it still sizes a trade, disclosed. */
      stale: boolean
      /** Absent while it is not stale. */
      staleWhy?: StaleWhy
    }
  | { why: string }

/**
 * Past its feed's heartbeat; its market is closed; its issuer froze the feed; or a stablecoin is off its peg, or
 * its peg is unknown.
 */
export type StaleWhy = 'heartbeat' | 'closed' | 'frozen' | 'off_peg'

/** The price from the results of `markCalls`; null stands for a reverted call. */
export function markPriceIn(
  source: MarkSource,
  [answer = null, frozen = null]: readonly (Hex | null)[],
  at: { nowS: number; stocksOpen: boolean },
): Priced {
  if (source.kind === 'fixed') return fixedPrice(source.feed, answer, at.nowS)
  if (answer === null)
    return { why: source.kind === 'feed' ? 'the feed reverts' : 'the pool has no 30 minutes of history' }
  try {
    if (source.kind === 'twap') return twapPrice(source, answer, at.nowS)
    const priced = feedPrice(source.feed, answer, at)
    // Unreadable counts as frozen: a price is used only if the issuer allows it to move.
    const isFrozen = source.frozen !== null && (frozen === null || BigInt(frozen) !== 0n)
    return isFrozen && !('why' in priced) ? { ...priced, stale: true, staleWhy: 'frozen' } : priced
  } catch {
    return { why: 'the answer cannot be read' }
  }
}

/** Always a dollar. Stale while its feed is further from one than the peg allows, silent or past its time. */
function fixedPrice(feed: Feed | null, answer: Hex | null, nowS: number): Priced {
  const dollar = { priceE18: ONE_E18, source: 'fixed', updatedAtS: nowS, stale: false } as const
  if (feed === null) return dollar
  return isOnPeg(feed, answer, nowS) ? dollar : { ...dollar, stale: true, staleWhy: 'off_peg' }
}

function isOnPeg(feed: Feed, answer: Hex | null, nowS: number): boolean {
  if (answer === null) return false
  try {
    const watched = feedPrice(feed, answer, { nowS, stocksOpen: true })
    if ('why' in watched || watched.stale) return false
    const off = watched.priceE18 > ONE_E18 ? watched.priceE18 - ONE_E18 : ONE_E18 - watched.priceE18
    return off * 10_000n <= ONE_E18 * MAX_OFF_PEG_BPS
  } catch {
    return false
  }
}

function feedPrice(
  feed: Feed,
  returnData: Hex,
  { nowS, stocksOpen }: { nowS: number; stocksOpen: boolean },
): Priced {
  const { roundId, answer, updatedAt, answeredInRound } = roundIn(returnData)
  if (answer <= 0n) return { why: 'the feed answers no price' }
  if (updatedAt === 0n) return { why: 'the round is not complete' }
  // Newer feeds no longer say in which round they answered.
  if (answeredInRound !== 0n && answeredInRound < roundId) return { why: 'the round carries an older answer' }
  const updatedAtS = Number(updatedAt)
  if (updatedAtS > nowS + MAX_AHEAD_S) return { why: 'the round is from the future' }
  const priceE18 = rescaleDown(answer, feed.decimals, 18)
  const price = { priceE18, source: 'oracle_feed', updatedAtS, roundId, stale: false } as const
  if (feed.session === 'stock' && !stocksOpen) return { ...price, stale: true, staleWhy: 'closed' }
  if (nowS - updatedAtS > feed.heartbeat_s) return { ...price, stale: true, staleWhy: 'heartbeat' }
  return price
}

/** `(uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)`. */
function roundIn(data: Hex) {
  if (data.length < 2 + 5 * WORD_DIGITS) throw new RangeError('not a round')
  const word = (place: number) =>
    BigInt(`0x${data.slice(2 + place * WORD_DIGITS, 2 + (place + 1) * WORD_DIGITS)}`)
  return {
    roundId: word(0),
    answer: BigInt.asIntN(256, word(1)),
    updatedAt: word(3),
    answeredInRound: word(4),
  }
}
const WORD_DIGITS = 64

/** Asks for one round of a feed. */
export const feedRoundCall = (feed: Feed, roundId: bigint): MarkCall => ({
  to: feed.address as Address,
  data: encodeFunctionData({ abi: aggregatorV3Abi, functionName: 'getRoundData', args: [roundId] }),
})

/** A completed round of a feed. */
export interface FeedRound {
  priceE18: bigint
  updatedAtS: number
}

/** Null unless it is a completed round with a price. */
export function feedRoundIn(feed: Feed, data: Hex | null): FeedRound | null {
  if (data === null) return null
  try {
    const { roundId, answer, updatedAt, answeredInRound } = roundIn(data)
    if (answer <= 0n || updatedAt === 0n || updatedAt > BigInt(Number.MAX_SAFE_INTEGER)) return null
    // It carries an older answer; newer feeds no longer say in which round they answered.
    if (answeredInRound !== 0n && answeredInRound < roundId) return null
    return { priceE18: rescaleDown(answer, feed.decimals, 18), updatedAtS: Number(updatedAt) }
  } catch {
    return null
  }
}

function twapPrice(source: MarkSource & { kind: 'twap' }, returnData: Hex, nowS: number): Priced {
  const [cumulatives] = decodeFunctionResult({ abi: v3PoolAbi, functionName: 'observe', data: returnData })
  const moved = (cumulatives[1] ?? 0n) - (cumulatives[0] ?? 0n)
  // Towards minus infinity, as the oracle library rounds a mean tick.
  const tick = Number(divDown(moved, BigInt(ACCOUNT.partnerTwapS)))
  const root = sqrtPriceAtTick(tick)
  const { quote } = source
  const scale = (ONE_E18 * 10n ** BigInt(source.decimals)) / 10n ** BigInt(quote.decimals)
  const tokenIsFirst = source.token < quote.address
  const priceE18 = tokenIsFirst ? (root * root * scale) >> 192n : (scale << 192n) / (root * root)
  if (priceE18 <= 0n) return { why: 'the mean price rounds to nothing' }
  return { priceE18, source: 'twap', updatedAtS: nowS, stale: false }
}
