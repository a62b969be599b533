import { type Address, type MarkSource, markSourcesOf, type StaleWhy } from '@pit/chain'
import type { Clock } from '@pit/platform/clock'
import { askBaseFee, type Mark, readMarks, readOne } from '@pit/platform/reads'
import { type Rpc, RpcUnreachable } from '@pit/platform/rpc'
import { type ChainProfile, COSIGNER, stockSessionOf } from '@pit/protocol'

/** What the co-signer itself knows of a token's price now. */
export type OwnPrice =
  | { kind: 'fresh'; priceE18: bigint; by: 'feed' | 'mean' }
  /** It has a feed, but no price that counts now. */
  | { kind: 'none'; why: string }
  /** No feed of its own: only its owner can say what it is worth. */
  | { kind: 'feedless' }

export interface Prices {
  own(token: Address): OwnPrice
  /** Whether the chain was read lately, and stood where it does now. */
  isChainRead(): boolean
  /** What keeps the chain from being read, where that is known. */
  whyUnread?(): string | null
  /** Of the block that was read last; null before the first. */
  baseFeeWei(): bigint | null
  /** How many tokens with a feed have no price that counts now. */
  unpriced(): number
}

/** A block from further ahead than this says that its node's clock is wrong, or ours. */
const MAX_AHEAD_S = 120

const STALE_WORDS: Record<StaleWhy, string> = {
  heartbeat: 'its feed is past its heartbeat',
  closed: 'its market is closed',
  frozen: 'its issuer holds its feed still',
  off_peg: 'its feed is more than 1% from a dollar, or silent',
}

/** The band between pools and feeds is for two ends: a feed that may lag by more than half of it is no witness. */
const isTooCoarse = (source: MarkSource): boolean =>
  source.kind === 'feed' && source.feed.deviation_bps * 2 > COSIGNER.feedBandBps

/** The co-signer's own reading of the feeds, from its own node. `read` is to run twice a second. */
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
  /** Past it the chain stands still. */
  maxHeadAgeS?: number
  /** Ages readings: a clock that is set back makes none of them young again. */
  monotonicMs?: () => number
}): Prices & { read(): Promise<void> } {
  const sources = markSourcesOf(profile)
  const known = new Set(sources.map(({ token }) => token))
  const tooCoarse = new Set(sources.filter(isTooCoarse).map(({ token }) => token))
  let byToken = new Map<Address, Mark>()
  let whyByToken = new Map<Address, string>()
  let readAtMs = Number.NEGATIVE_INFINITY
  let head: { timestampS: number; baseFeeWei: bigint } | null = null

  async function read(): Promise<void> {
    const [nowMs, beganMs] = [clock.nowMs(), monotonicMs()]
    const multicall3 = profile.contracts.multicall3 as Address
    const [reading, baseFeeWei] = await Promise.all([
      readMarks({ rpc, multicall3, sources, nowMs, stockSession }),
      // From the block itself: inside a call that offers no fee, nodes say there is none.
      readOne(rpc, askBaseFee('latest')),
    ]).catch((error) => {
      // Two nodes disagree: what they agreed on before is worth nothing either.
      if (error instanceof RpcUnreachable && error.why === 'divided') readAtMs = Number.NEGATIVE_INFINITY
      throw error
    })
    const { timestampS } = reading
    if (timestampS === null || baseFeeWei === null) throw new Error('the block itself cannot be read')
    // Its feeds would look younger than they are by all that this clock is behind.
    if (timestampS * 1000 > nowMs + MAX_AHEAD_S * 1000) throw new Error('the block is from the future')
    if (head !== null && timestampS < head.timestampS) throw new Error('the node went back in time')
    head = { timestampS, baseFeeWei }
    byToken = new Map(reading.marks.map((mark) => [mark.token, mark]))
    whyByToken = new Map(reading.unread.map(({ token, why }) => [token, why]))
    readAtMs = beganMs
  }

  const isChainRead = (): boolean =>
    head !== null &&
    monotonicMs() - readAtMs <= COSIGNER.maxReadingAgeS * 1000 &&
    clock.nowMs() - head.timestampS * 1000 <= maxHeadAgeS * 1000
  function own(token: Address): OwnPrice {
    if (!known.has(token)) return { kind: 'feedless' }
    if (!isChainRead())
      return { kind: 'none', why: 'the chain has not answered for a while, or stands still' }
    const mark = byToken.get(token)
    if (!mark) return { kind: 'none', why: whyByToken.get(token) ?? 'it was not read' }
    if (mark.stale) return { kind: 'none', why: STALE_WORDS[mark.staleWhy ?? 'heartbeat'] }
    if (tooCoarse.has(token))
      return { kind: 'none', why: 'its feed moves in wider steps than the band holds' }
    return { kind: 'fresh', priceE18: mark.priceE18, by: mark.source === 'twap' ? 'mean' : 'feed' }
  }
  return {
    own,
    isChainRead,
    baseFeeWei: () => head?.baseFeeWei ?? null,
    unpriced: () => [...known].filter((token) => own(token).kind !== 'fresh').length,
    read,
  }
}
