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
import { askCall, firstBlockWhere, flagIn, readAll, wordIn } from '@pit/platform/reads'
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
    const issuer = source.frozen ? stockIssuerOf(profile) : null
    const calls = [
      ...roundIds.map((id) => feedRoundCall(source.feed, id)),
      ...(issuer ? issuer.multiplierCalls(source.token) : []),
    ]
    const answers = (
      await readAll(
        rpc,
        calls.map((call) => askCall(call)),
      )
    ).map((answer) => answer ?? null)
    const rounds = answers.splice(0, roundIds.length).map((answer) => feedRoundIn(source.feed, answer))
    if (issuer === null)
      return {
        kind: 'rounds',
        rounds: rounds.map((round) => round && { ...round, isPaused: false, isBeforeMultiplier: false }),
      }
    const multiplier = issuer.multiplierIn(answers)
    const headS = prices.headS()
    if (multiplier === null || headS === null) return { kind: 'unread' }
    const { effectiveAtS } = multiplier
    const isInEffect = effectiveAtS <= headS
    return {
      kind: 'rounds',
      rounds: await Promise.all(
        rounds.map(
          async (round, i) =>
            round && {
              ...round,
              isPaused: await wasPaused(source, roundIds[i]!),
              isBeforeMultiplier: isInEffect && round.updatedAtS < effectiveAtS,
            },
        ),
      ),
    }
  }

  /** Whether the issuer had paused the feed in the round's block; null if that block can no longer be read. */
  async function wasPaused({ feed, frozen }: FeedSource, roundId: bigint): Promise<boolean | null> {
    const latest = { to: feed.address as Address, data: LATEST }
    const { first, isFirst } = await firstBlockWhere(rpc, {
      ask: (block) => askCall(latest, { block }),
      holds: (answer) => (wordIn(answer) ?? 0n) >= roundId,
    })
    if (first === null || !isFirst) return null
    const [answer] = await readAll(rpc, [askCall(frozen!, { block: first })])
    return flagIn(answer)
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
