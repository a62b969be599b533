import {
  type Address,
  aggregatorV3Abi,
  type Hex,
  type MarkSource,
  markSourcesOf,
  stockIssuerOf,
  type Trigger,
} from '@pit/chain'
import { askCall, readAll } from '@pit/platform/reads'
import type { Rpc } from '@pit/platform/rpc'
import { type ChainProfile, rescaleDown } from '@pit/protocol'
import { decodeFunctionResult, encodeFunctionData } from 'viem'
import type { Prices } from '../prices/followPrices.ts'
import type { Round, TriggerReading } from './triggers.ts'

type FeedSource = Extract<MarkSource, { kind: 'feed' }>

export interface TriggerReader {
  /** The price source of this token's triggers: rounds of its feed, its mean, or none. */
  kindOf(token: Address): 'rounds' | 'mean' | null
  /** Reads the named rounds of the trigger's feed on the chain. */
  read(trigger: Trigger, roundIds: readonly bigint[]): Promise<TriggerReading>
}

export function createTriggerReader({
  rpc,
  profile,
  prices,
}: {
  rpc: Pick<Rpc, 'batch'>
  profile: ChainProfile
  prices: Pick<Prices, 'own' | 'headS'>
}): TriggerReader {
  const sources = new Map(markSourcesOf(profile).map((source) => [source.token, source]))

  async function readFeed(source: FeedSource, roundIds: readonly bigint[]): Promise<TriggerReading> {
    const to = source.feed.address as Address
    const issuer = source.frozen ? stockIssuerOf(profile) : null
    const calls = [
      ...roundIds.map((id) => ({ to, data: roundCall(id) })),
      { to, data: LATEST },
      ...(issuer ? [source.frozen!, ...issuer.multiplierCalls(source.token)] : []),
    ]
    const answers = (
      await readAll(
        rpc,
        calls.map((call) => askCall(call)),
      )
    ).map((answer) => answer ?? null)
    const rounds = answers.splice(0, roundIds.length).map((answer) => roundIn(source, answer))
    const latest = roundIn(source, answers.shift() ?? null)
    if (issuer === null) return { kind: 'rounds', rounds, isPaused: false, isBetweenMultipliers: false }
    const [frozen = null, ...words] = answers
    const multiplier = issuer.multiplierIn(words)
    const headS = prices.headS()
    if (latest === null || multiplier === null || headS === null) return { kind: 'unread' }
    const { effectiveAtS } = multiplier
    return {
      kind: 'rounds',
      rounds,
      isPaused: frozen === null || BigInt(frozen) !== 0n,
      isBetweenMultipliers: effectiveAtS <= headS && latest.updatedAtS < effectiveAtS,
    }
  }

  return {
    kindOf(token) {
      const kind = sources.get(token)?.kind
      return kind === 'feed' ? 'rounds' : kind === 'twap' ? 'mean' : null
    },
    async read(trigger, roundIds) {
      const source = sources.get(trigger.token)
      if (source?.kind === 'twap') {
        const own = prices.own(trigger.token)
        return { kind: 'mean', priceE18: own.kind === 'fresh' ? own.priceE18 : null }
      }
      if (source?.kind !== 'feed') return { kind: 'unread' }
      try {
        return await readFeed(source, roundIds)
      } catch {
        return { kind: 'unread' }
      }
    },
  }
}

const LATEST = encodeFunctionData({ abi: aggregatorV3Abi, functionName: 'latestRoundData' })
const roundCall = (id: bigint): Hex =>
  encodeFunctionData({ abi: aggregatorV3Abi, functionName: 'getRoundData', args: [id] })

/** Null unless it is a completed round with a price. */
function roundIn({ feed }: FeedSource, data: Hex | null): Round | null {
  if (data === null) return null
  try {
    const [roundId, answer, , updatedAt, answeredInRound] = decodeFunctionResult({
      abi: aggregatorV3Abi,
      functionName: 'getRoundData',
      data,
    })
    if (answer <= 0n || updatedAt === 0n || updatedAt > BigInt(Number.MAX_SAFE_INTEGER)) return null
    // It carries an older answer; newer feeds no longer say in which round they answered.
    if (answeredInRound !== 0n && answeredInRound < roundId) return null
    return { priceE18: rescaleDown(answer, feed.decimals, 18), updatedAtS: Number(updatedAt) }
  } catch {
    return null
  }
}
