import {
  type Address,
  aggregatorV3Abi,
  feedRoundCall,
  feedRoundIn,
  type MarkSource,
  markSourcesOf,
  stockIssuerOf,
  type Trigger,
} from '@pit/chain'
import { askCall, readAll } from '@pit/platform/reads'
import type { Rpc } from '@pit/platform/rpc'
import type { ChainProfile } from '@pit/protocol'
import { encodeFunctionData } from 'viem'
import type { Prices } from '../prices/followPrices.ts'
import type { TriggerReading } from './triggers.ts'

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
      ...roundIds.map((id) => feedRoundCall(source.feed, id)),
      { to, data: LATEST },
      ...(issuer ? [source.frozen!, ...issuer.multiplierCalls(source.token)] : []),
    ]
    const answers = (
      await readAll(
        rpc,
        calls.map((call) => askCall(call)),
      )
    ).map((answer) => answer ?? null)
    const rounds = answers.splice(0, roundIds.length).map((answer) => feedRoundIn(source.feed, answer))
    const latest = feedRoundIn(source.feed, answers.shift() ?? null)
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
