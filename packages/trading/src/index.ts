export { NotRunnable, simulateBlocks as runBlocks } from '@pit/platform/reads'
export { fractionOf, microUsdDown as microUsdOf, usdOf } from '@pit/protocol'
export type { AttestsNonUs } from './attestation.ts'
export type { StorePlanRequest, TradeDeps } from './deps.ts'
export * from './fast/index.ts'
export { openTrade, type Trade } from './openTrade.ts'
export {
  type ApprovalRequest,
  type Approved,
  approvalCalls,
  approveStep,
  type Draft,
  describePlan,
  feesOf,
  isUnlimited,
  type Judgement,
  judgeQuote,
  judgeSimulation,
  limitFromEstimate,
  limitFromUse,
  lineUp,
  MAX_UINT160,
  missingJson,
  type PlanAnswer,
  type Planned,
  type PlanParams,
  type PlanRequest,
  type PlanTerms,
  type Prepared,
  permit2ApproveStep,
  type Revocation,
  type RevokeParams,
  readApprovalAnswers,
  type Simulated,
  type SimulateRequest,
  simulationChecks,
  simulationJson,
  stepJson,
  type TokenApproval,
  txJson,
  walletOf,
} from './plan/index.ts'
export {
  AGGREGATORS,
  disclosuresOf,
  marksOf,
  routeRowOf,
  type ShownQuote,
  type VendorKeys,
} from './quote/index.ts'
export type * from './types.ts'
