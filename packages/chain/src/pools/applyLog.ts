import type { Hex } from '../bytes/hex.ts'
import { allLaunchpads, launchpadOf } from '../launchpads/index.ts'
import { changeLiquidity } from './liquidity.ts'
import { intWord, numberWord, type PoolLog, TOPIC, tickTopic, tickWord, topicAt, uintWord } from './logs.ts'
import type { CurvePool, Pool, V2Pool, V3Pool, V4Pool } from './types.ts'

/**
 * Every topic that changes what a pool would give. Fees taken by protocols and donations change nothing of
 * it.
 */
export const STATE_TOPICS: readonly Hex[] = [
  TOPIC.v2Sync,
  TOPIC.v3Initialize,
  TOPIC.v3Mint,
  TOPIC.v3Burn,
  TOPIC.v3Swap,
  TOPIC.v4ModifyLiquidity,
  TOPIC.v4Swap,
  TOPIC.v4ProtocolFeeUpdated,
  ...allLaunchpads().flatMap(({ stateTopics }) => stateTopics),
]
const V4_TOPICS = new Set<Hex | undefined>([
  TOPIC.v4ModifyLiquidity,
  TOPIC.v4Swap,
  TOPIC.v4ProtocolFeeUpdated,
])

/** Which pool a state log is of: the pool manager's logs name theirs, every other pool speaks for itself. */
export function poolIdOfLog(log: PoolLog): Hex {
  return V4_TOPICS.has(log.topics[0]) ? topicAt(log, 1) : log.address
}

/**
 * Changes the pool in place as the log says; false when the log is nothing to it. Logs must come in their
 * order.
 */
export function applyLog(pool: Pool | CurvePool, log: PoolLog): boolean {
  switch (pool.version) {
    case 'v2':
      return applyV2(pool, log)
    case 'v3':
      return applyV3(pool, log)
    case 'v4':
      return applyV4(pool, log)
    case 'curve':
      return launchpadOf(pool.launchpad).apply(pool, log)
  }
}

function applyV2(pool: V2Pool, log: PoolLog): boolean {
  if (log.topics[0] !== TOPIC.v2Sync) return false
  pool.reserve0 = uintWord(log, 0)
  pool.reserve1 = uintWord(log, 1)
  return true
}

function applyV3(pool: V3Pool, log: PoolLog): boolean {
  switch (log.topics[0]) {
    case TOPIC.v3Swap:
      pool.sqrtPriceX96 = uintWord(log, 2)
      pool.liquidity = uintWord(log, 3)
      pool.tick = tickWord(log, 4)
      return true
    case TOPIC.v3Mint:
      changeLiquidity(pool, tickTopic(log, 2), tickTopic(log, 3), uintWord(log, 1))
      return true
    case TOPIC.v3Burn:
      changeLiquidity(pool, tickTopic(log, 2), tickTopic(log, 3), -uintWord(log, 0))
      return true
    case TOPIC.v3Initialize:
      pool.sqrtPriceX96 = uintWord(log, 0)
      pool.tick = tickWord(log, 1)
      return true
    default:
      return false
  }
}

function applyV4(pool: V4Pool, log: PoolLog): boolean {
  if (log.topics[1] !== pool.id) return false
  switch (log.topics[0]) {
    case TOPIC.v4Swap:
      // Its fee word is the whole fee of that swap, the protocol's included, and says nothing of the next
      // one.
      pool.sqrtPriceX96 = uintWord(log, 2)
      pool.liquidity = uintWord(log, 3)
      pool.tick = tickWord(log, 4)
      return true
    case TOPIC.v4ModifyLiquidity:
      changeLiquidity(pool, tickWord(log, 0), tickWord(log, 1), intWord(log, 2))
      return true
    case TOPIC.v4ProtocolFeeUpdated:
      pool.protocolFee = numberWord(log, 0)
      return true
    default:
      return false
  }
}
