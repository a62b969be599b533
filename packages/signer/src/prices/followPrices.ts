import { type Address, type MarkSource, markSourcesOf, type StaleWhy } from '@pit/chain'
import type { Clock } from '@pit/platform/clock'
import { askBaseFee, type Mark, readMarks, readOne } from '@pit/platform/reads'
import { type Rpc, RpcUnreachable } from '@pit/platform/rpc'
import { type ChainProfile, COSIGNER, stockSessionOf } from '@pit/protocol'

/** The co-signer's own current price of a token. */
export type OwnPrice =
  | { kind: 'fresh'; priceE18: bigint; by: 'feed' | 'mean' }
  /** It has a feed, but no valid price now. */
  | { kind: 'none'; why: string }
  /** No feed: only its owner's mark can value it. */
  | { kind: 'feedless' }

export interface LastPrice {
  priceE18: bigint
  atMs: number
  isClosed: boolean
}

export interface Prices {
  own(token: Address): OwnPrice
  /** Whether the chain was read recently and its newest block is fresh. */
  isChainRead(): boolean
  /** The reason the chain cannot be read, if known. */
  whyUnread?(): string | null
  /** Base fee of the last block read; null before the first. */
  baseFeeWei(): bigint | null
  /** Number of tokens with a feed but no valid price now. */
  unpriced(): number
  /** The last valid price; `isClosed`: it is of a market that is closed now. */
  last(token: Address): LastPrice | null
  /** Time of the last block read; null before the first. */
  headS(): number | null
}

/** A block further ahead than this means that the node's clock or ours is wrong. */
const MAX_AHEAD_S = 120

const STALE_WORDS: Record<StaleWhy, string> = {
  heartbeat: 'its feed is past its heartbeat',
  closed: 'its market is closed',
  frozen: 'its issuer paused its feed',
  off_peg: 'its feed is more than 1% from a dollar, or silent',
}

/** The band between pools and feeds covers two ends, so a feed may deviate by at most half of it. */
const isTooCoarse = (source: MarkSource): boolean =>
  source.kind === 'feed' && source.feed.deviation_bps * 2 > COSIGNER.feedBandBps

/** Reads the feeds from the co-signer's own node. Call `read` twice a second. */
export function followPrices({
  rpc,
  clock,
  profile,
  stockSession = stockSessionOf(profile),
  maxHeadAgeS = COSIGNER.maxHeadAgeS,
  monotonicMs = () => performance.now(),
}: {
  rpc: Rpc
  clock: Clock
  profile: ChainProfile
  stockSession?: (atMs: number) => boolean
  /** A chain whose newest block is older counts as stalled. */
  maxHeadAgeS?: number
  /** Measures the age of readings; unaffected by a clock that is set back. */
  monotonicMs?: () => number
}): Prices & { read(): Promise<void> } {
  const sources = markSourcesOf(profile)
  const priced = new Set(sources.map(({ token }) => token))
  const tooCoarse = new Set(sources.filter(isTooCoarse).map(({ token }) => token))
  let byToken = new Map<Address, Mark>()
  let whyByToken = new Map<Address, string>()
  const lastByToken = new Map<Address, Omit<LastPrice, 'isClosed'>>()
  let readAtMs = Number.NEGATIVE_INFINITY
  let head: { timestampS: number; baseFeeWei: bigint } | null = null

  async function read(): Promise<void> {
    const [nowMs, beganMs] = [clock.nowMs(), monotonicMs()]
    const multicall3 = profile.contracts.multicall3 as Address
    const [reading, baseFeeWei] = await Promise.all([
      readMarks({ rpc, multicall3, sources, nowMs, stockSession }),
      // From the block itself: in a call without a fee, nodes report none.
      readOne(rpc, askBaseFee('latest')),
    ]).catch((error) => {
      // Two nodes disagree: earlier readings are discarded too.
      if (error instanceof RpcUnreachable && error.why === 'divided') readAtMs = Number.NEGATIVE_INFINITY
      throw error
    })
    const { timestampS } = reading
    if (timestampS === null || baseFeeWei === null) throw new Error('the block itself cannot be read')
    // Its feeds would look fresher than they are, by the amount this clock is behind.
    if (timestampS * 1000 > nowMs + MAX_AHEAD_S * 1000) throw new Error('the block is from the future')
    if (head !== null && timestampS < head.timestampS) throw new Error('the node went back in time')
    head = { timestampS, baseFeeWei }
    byToken = new Map(reading.marks.map((mark) => [mark.token, mark]))
    whyByToken = new Map(reading.unread.map(({ token, why }) => [token, why]))
    for (const { token, priceE18, stale, staleWhy } of reading.marks)
      if (!stale || staleWhy === 'closed') lastByToken.set(token, { priceE18, atMs: nowMs })
    readAtMs = beganMs
  }

  const isChainRead = (): boolean =>
    head !== null &&
    monotonicMs() - readAtMs <= COSIGNER.maxReadingAgeS * 1000 &&
    clock.nowMs() - head.timestampS * 1000 <= maxHeadAgeS * 1000
  function own(token: Address): OwnPrice {
    if (!priced.has(token)) return { kind: 'feedless' }
    if (!isChainRead()) return { kind: 'none', why: 'the chain is unreachable or has no new blocks' }
    const mark = byToken.get(token)
    if (!mark) return { kind: 'none', why: whyByToken.get(token) ?? 'it was not read' }
    if (mark.stale) return { kind: 'none', why: STALE_WORDS[mark.staleWhy ?? 'heartbeat'] }
    if (tooCoarse.has(token))
      return { kind: 'none', why: 'its feed is too coarse for the allowed price band' }
    return { kind: 'fresh', priceE18: mark.priceE18, by: mark.source === 'twap' ? 'mean' : 'feed' }
  }
  return {
    own,
    isChainRead,
    baseFeeWei: () => head?.baseFeeWei ?? null,
    last(token) {
      const last = lastByToken.get(token)
      const isClosed = isChainRead() && byToken.get(token)?.staleWhy === 'closed'
      return last ? { ...last, isClosed } : null
    },
    headS: () => head?.timestampS ?? null,
    unpriced: () => [...priced].filter((token) => own(token).kind !== 'fresh').length,
    read,
  }
}
