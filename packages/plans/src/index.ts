export { describeSwap } from './describeSwap.ts'
export { type BatchCall, delegationOf, encodeBatch } from './encodeBatch.ts'
export { type CurveTrade, encodeCurveBuy, encodeCurveSell } from './encodeCurve.ts'
export { encodeLockdown } from './encodeLockdown.ts'
export { type EncodedSwap, encodeSwap } from './encodeSwap.ts'
export { feeOf } from './feeOf.ts'
export { planHopOf } from './planHopOf.ts'
export { readSwap } from './readSwap.ts'
export type {
  FeeReading,
  HopPath,
  LegPath,
  PlanHop,
  SwapFee,
  SwapPath,
  SwapPlan,
  SwapReading,
} from './types.ts'
