import { changeLiquidity } from './liquidity.ts'
import { intWord, type PoolLog, TOPIC, tickTopic, tickWord, uintWord } from './logs.ts'
import type { Concentrated, CurvePool, Pool } from './types.ts'

/** Asked before `applyLog`: what takes that log back. Undone in the opposite order, a pool is what it was. */
export function undoOf(pool: Pool | CurvePool, log: PoolLog): () => void {
  switch (pool.version) {
    case 'v2': {
      const { reserve0, reserve1 } = pool
      return () => void Object.assign(pool, { reserve0, reserve1 })
    }
    case 'curve': {
      const { x, y, graduated } = pool
      return () => void Object.assign(pool, { x, y, graduated })
    }
    case 'v3':
      return undoConcentrated(pool, log)
    case 'v4': {
      const { protocolFee, lpFeePips } = pool
      const undo = undoConcentrated(pool, log)
      return () => {
        undo()
        Object.assign(pool, { protocolFee, lpFeePips })
      }
    }
  }
}

function undoConcentrated(pool: Concentrated, log: PoolLog): () => void {
  const { sqrtPriceX96, tick, liquidity } = pool
  const position = positionOf(log)
  return () => {
    if (position) changeLiquidity(pool, position.lower, position.upper, -position.delta)
    Object.assign(pool, { sqrtPriceX96, tick, liquidity })
  }
}

function positionOf(log: PoolLog): { lower: number; upper: number; delta: bigint } | undefined {
  switch (log.topics[0]) {
    case TOPIC.v3Mint:
      return { lower: tickTopic(log, 2), upper: tickTopic(log, 3), delta: uintWord(log, 1) }
    case TOPIC.v3Burn:
      return { lower: tickTopic(log, 2), upper: tickTopic(log, 3), delta: -uintWord(log, 0) }
    case TOPIC.v4ModifyLiquidity:
      return { lower: tickWord(log, 0), upper: tickWord(log, 1), delta: intWord(log, 2) }
    default:
      return undefined
  }
}
