export type { StorePlanAsk, TradeDeps } from './deps.ts'
export * from './fast/index.ts'
export { openTrade, type Trade } from './openTrade.ts'
export {
  type ApprovalAsk,
  type Approved,
  approvalCalls,
  approveStep,
  type Draft,
  feesOf,
  isUnlimited,
  type Judgement,
  judgeQuote,
  judgeSimulation,
  limitFromEstimate,
  limitFromUse,
  lineUp,
  MAX_UINT160,
  type PlanAsk,
  type Planned,
  type PlanTerms,
  permit2ApproveStep,
  readApprovalAnswers,
  simulationJson,
  stepJson,
  txJson,
  walletOf,
} from './plan/index.ts'
export { disclosuresOf, fractionOf, microUsdOf, routeRowOf, usdOf } from './quote/index.ts'
export { NotRunnable, runBlocks } from './simulate/index.ts'
export type * from './types.ts'
