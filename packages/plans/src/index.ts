export { describeSwap, type TokenNames } from './describeSwap.ts'
export {
  type BatchCall,
  type CurveTrade,
  encodeBatch,
  encodeCurveTrade,
  encodeErc20Approve,
  encodeErc20Transfer,
  encodeLockdown,
  encodePermit2Approve,
} from './encodeCalls.ts'
export { encodeExecute } from './encodeExecute.ts'
export { type EncodedSwap, encodeSwap } from './encodeSwap.ts'
export { type PlanHop, planHopOf, type SwapFee, type SwapPath, type SwapPlan } from './plan.ts'
