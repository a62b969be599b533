import { ACCOUNT, type ChainProfile, divDown, type Feed, rescaleDown } from '@pit/protocol'
import { decodeFunctionResult, encodeFunctionData } from 'viem'
import { v3PoolAbi } from './abis/exchanges.ts'
import { aggregatorV3Abi } from './abis/reading.ts'
import type { Address, Hex } from './bytes/hex.ts'
import { sqrtPriceAtTick } from './pools/tickMath.ts'

/**
 * Where independent prices come from and how their answers are read: by the service, the co-signer and the
 * client alike, each from a node of its own.
 */

export type MarkSource =
  | { kind: 'feed'; token: Address; symbol: string; feed: Feed }
  | { kind: 'twap'; token: Address; symbol: string; decimals: number; pool: Address; quote: QuoteToken }
  | { kind: 'fixed'; token: Address; symbol: string }
interface QuoteToken {
  address: Address
  decimals: number
}

const ONE_E18 = 10n ** 18n
/** Clocks differ a little; a round from further ahead than this is wrong. */
const MAX_AHEAD_S = 120

/** What can be priced on this chain, and how. ETH's feed prices WETH too: one unwraps to the other. */
export function markSourcesOf(profile: ChainProfile): MarkSource[] {
  const usdg = profile.core_tokens.find(({ symbol }) => symbol === 'USDG')
  const ethFeed = profile.core_tokens.find(({ native }) => native)?.feed ?? null
  const sources: MarkSource[] = []
  for (const { symbol, address, decimals, feed } of profile.core_tokens) {
    const token = address.toLowerCase() as Address
    const ownFeed = feed ?? (symbol === 'WETH' ? ethFeed : null)
    const pin = profile.pins.partner_usdg
    if (symbol === 'USDG') sources.push({ kind: 'fixed', token, symbol })
    else if (ownFeed) sources.push({ kind: 'feed', token, symbol, feed: ownFeed })
    else if (symbol === 'PARTNER' && usdg && pin?.version === 'v3') {
      const quote = { address: usdg.address.toLowerCase() as Address, decimals: usdg.decimals }
      sources.push({ kind: 'twap', token, symbol, decimals, pool: pin.address as Address, quote })
    }
  }
  for (const { symbol, address, feed } of profile.listed_stocks) {
    if (feed) sources.push({ kind: 'feed', token: address.toLowerCase() as Address, symbol, feed })
  }
  return sources
}

/** Tokens priced by an oracle, or a dollar by definition. A session with any other ends within a day. */
export function feedBackedTokens(profile: ChainProfile): ReadonlySet<Address> {
  const sources = markSourcesOf(profile).filter(({ kind }) => kind !== 'twap')
  return new Set(sources.map(({ token }) => token))
}

/** The call whose answer holds the price; null for a price that is fixed. */
export function markCall(source: MarkSource): { to: Address; data: Hex } | null {
  if (source.kind === 'feed') {
    const data = encodeFunctionData({ abi: aggregatorV3Abi, functionName: 'latestRoundData' })
    return { to: source.feed.address as Address, data }
  }
  if (source.kind === 'twap') {
    const args = [[ACCOUNT.partnerTwapS, 0]] as const
    return {
      to: source.pool,
      data: encodeFunctionData({ abi: v3PoolAbi, functionName: 'observe', args }),
    }
  }
  return null
}

/** Dollars for one whole token times 10^18, or why there is none. */
export type Priced =
  | {
      priceE18: bigint
      source: 'oracle_feed' | 'twap' | 'fixed'
      /** Of the feed's round, which may stand for as long as the heartbeat. */
      updatedAtS: number
      /** Past its heartbeat, or its market is closed: it still sizes a trade, disclosed. */
      stale: boolean
    }
  | { why: string }

/** What an answer to `markCall` says now; null stands for a call that reverted. */
export function markPriceIn(
  source: MarkSource,
  answer: Hex | null,
  { nowS, stocksOpen }: { nowS: number; stocksOpen: boolean },
): Priced {
  if (source.kind === 'fixed') return { priceE18: ONE_E18, source: 'fixed', updatedAtS: nowS, stale: false }
  if (answer === null)
    return { why: source.kind === 'feed' ? 'the feed reverts' : 'the pool has no 30 minutes of history' }
  try {
    if (source.kind === 'twap') return twapPrice(source, answer, nowS)
    return feedPrice(source.feed, answer, nowS, stocksOpen)
  } catch {
    return { why: 'the answer cannot be read' }
  }
}

function feedPrice(feed: Feed, returnData: Hex, nowS: number, stocksOpen: boolean): Priced {
  const round = decodeFunctionResult({
    abi: aggregatorV3Abi,
    functionName: 'latestRoundData',
    data: returnData,
  })
  const [roundId, answer, , updatedAt, answeredInRound] = round
  if (answer <= 0n) return { why: 'the feed answers no price' }
  if (updatedAt === 0n) return { why: 'the round is not complete' }
  // Newer feeds no longer say in which round they answered.
  if (answeredInRound !== 0n && answeredInRound < roundId) return { why: 'the round carries an older answer' }
  const updatedAtS = Number(updatedAt)
  if (updatedAtS > nowS + MAX_AHEAD_S) return { why: 'the round is from the future' }
  const closed = feed.session === 'stock' && !stocksOpen
  return {
    priceE18: rescaleDown(answer, feed.decimals, 18),
    source: 'oracle_feed',
    updatedAtS,
    stale: closed || nowS - updatedAtS > feed.heartbeat_s,
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
