export { applyLog, poolIdOfLog, STATE_TOPICS } from './applyLog.ts'
export { newV2Pool, newV3Pool, newV4Pool } from './create.ts'
export { isFeeTrap } from './feeTraps.ts'
export {
  DYNAMIC_FEE,
  type HookEffect,
  type HookFlag,
  hookEffectOf,
  hookFlags,
  isFeeUnread,
  isQuotedByCall,
} from './hooks.ts'
export { changeLiquidity } from './liquidity.ts'
export { intWord, MalformedLog, type PoolLog, TOPIC, uintWord } from './logs.ts'
export { poolBorn } from './poolBorn.ts'
export { midPrice } from './price.ts'
export { quoteExactIn, quoteExactOut, v2AmountIn, v2AmountOut, v4SwapFeePips } from './quote.ts'
export { bigIntToWord, wordToBigInt } from './tickBitmap.ts'
export {
  MAX_SQRT_PRICE,
  MAX_TICK,
  MIN_SQRT_PRICE,
  MIN_TICK,
  sqrtPriceAtTick,
  tickAtSqrtPrice,
} from './tickMath.ts'
export type { Concentrated, CurvePool, Pool, SwapResult, Tick, V2Pool, V3Pool, V4Pool } from './types.ts'
export { undoOf } from './undoLog.ts'
