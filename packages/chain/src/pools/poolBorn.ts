import { launchpadOf } from '../launchpads/index.ts'
import { newV2Pool, newV3Pool, newV4Pool } from './create.ts'
import {
  addressTopic,
  addressWordOf,
  numberWord,
  type PoolLog,
  TOPIC,
  tickWord,
  topicAt,
  uintWord,
} from './logs.ts'
import type { CurvePool, Pool } from './types.ts'

/**
 * The pool or curve created by a log of a factory, the pool manager or the launchpad; undefined for other logs, and
 * for a launch whose log is incomplete: see LaunchpadAdapter.birthCalls.
 */
export function poolBorn(log: PoolLog): Pool | CurvePool | undefined {
  switch (log.topics[0]) {
    case TOPIC.v2PairCreated:
      return newV2Pool({
        id: addressWordOf(log, 0),
        token0: addressTopic(log, 1),
        token1: addressTopic(log, 2),
      })
    case TOPIC.v3PoolCreated:
      return newV3Pool({
        id: addressWordOf(log, 1),
        token0: addressTopic(log, 1),
        token1: addressTopic(log, 2),
        feePips: Number.parseInt(topicAt(log, 3).slice(-6), 16),
        tickSpacing: tickWord(log, 0),
      })
    case TOPIC.v4Initialize: {
      const pool = newV4Pool(topicAt(log, 1), {
        currency0: addressTopic(log, 2),
        currency1: addressTopic(log, 3),
        fee: numberWord(log, 0),
        tickSpacing: tickWord(log, 1),
        hooks: addressWordOf(log, 2),
      })
      pool.sqrtPriceX96 = uintWord(log, 3)
      pool.tick = tickWord(log, 4)
      return pool
    }
    case TOPIC.curveLaunched:
      return launchpadOf('pit').born(log, [])
    default:
      return undefined
  }
}
