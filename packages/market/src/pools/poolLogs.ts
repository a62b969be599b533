import {
  type Address,
  allLaunchpads,
  type CurvePool,
  knownAddress,
  launchpadsIn,
  type PinnedLaunchpad,
  type Pool,
  poolBorn,
  poolIdOfLog,
  STATE_TOPICS,
  TOPIC,
} from '@pit/chain'
import type { ChainLog, Hex } from '@pit/platform/follow'
import type { LogFilter } from '@pit/platform/reads'
import type { ChainProfile } from '@pit/protocol'

/** Logs that create and change pools, and their accepted emitters. */

export type AnyPool = Pool | CurvePool

/** Contracts whose logs count; anyone can emit the same topics from another address. */
export interface Emitters {
  v2Factory: Address | null
  v3Factory: Address | null
  v4PoolManager: Address | null
  launchpads: readonly PinnedLaunchpad[]
}

export const emittersOf = ({
  contracts,
  ...profile
}: Pick<ChainProfile, 'contracts' | 'launchpads'>): Emitters => ({
  v2Factory: knownAddress(contracts.v2_factory),
  v3Factory: knownAddress(contracts.v3_factory),
  v4PoolManager: knownAddress(contracts.v4_pool_manager),
  launchpads: launchpadsIn(profile),
})

/** Who announces new pools, by the topic of the announcement. */
const makersOf = (emitters: Emitters): Record<Hex, readonly (Address | null)[]> => ({
  [TOPIC.v2PairCreated]: [emitters.v2Factory],
  [TOPIC.v3PoolCreated]: [emitters.v3Factory],
  [TOPIC.v4Initialize]: [emitters.v4PoolManager],
  ...Object.fromEntries(
    allLaunchpads().map(({ kind, launchedTopic }) => [
      launchedTopic,
      emitters.launchpads.filter((one) => one.kind === kind).map(({ factory }) => factory),
    ]),
  ),
})

const CREATION_TOPICS: readonly Hex[] = [
  TOPIC.v2PairCreated,
  TOPIC.v3PoolCreated,
  TOPIC.v4Initialize,
  ...allLaunchpads().map(({ launchedTopic }) => launchedTopic),
]
export const MARKET_TOPICS: readonly Hex[] = [...CREATION_TOPICS, ...STATE_TOPICS]
const OF_POOL_MANAGER = new Set<Hex>([TOPIC.v4ModifyLiquidity, TOPIC.v4Swap, TOPIC.v4ProtocolFeeUpdated])

/** Filter for creation logs; null if the profile has no contract that creates pools. */
export function creationFilter(emitters: Emitters): LogFilter | null {
  const { launchpads, ...exchanges } = emitters
  const address = [...Object.values(exchanges), ...launchpads.map(({ factory }) => factory)].filter(
    (one) => one !== null,
  )
  return address.length === 0 ? null : { address, topics: [CREATION_TOPICS] }
}

/** Curves by address whose terms are not in the launch log and were read. */
export type Launched = ReadonlyMap<string, CurvePool>
const NONE: Launched = new Map()

/** The pool a log creates, or the id of the one it changes; undefined for foreign logs. */
export function createLogReader(
  emitters: Emitters,
): (log: ChainLog, launched?: Launched) => { born: AnyPool } | { id: string } | undefined {
  const makers = makersOf(emitters)
  const launchpads = new Map(allLaunchpads().map((adapter) => [adapter.launchedTopic, adapter]))
  return (log, launched = NONE) => {
    const topic = log.topics[0]
    if (topic === undefined) return undefined
    if (topic in makers) {
      if (!makers[topic]!.includes(log.address)) return undefined
      const born = poolBorn(log) ?? launched.get(launchpads.get(topic)?.launchIn(log).curve ?? '')
      return born && { born }
    }
    if (OF_POOL_MANAGER.has(topic) && log.address !== emitters.v4PoolManager) return undefined
    return { id: poolIdOfLog(log) }
  }
}
