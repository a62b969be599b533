export { isUnlimited, MAX_UINT160 } from './approvals.ts'
export { createPlanner, type Planner, type PlanRoute } from './createPlanner.ts'
export type { PlannerDeps } from './deps.ts'
export { stepJson, txJson } from './describePlan.ts'
export { type Judgement, judgeQuote } from './judgeQuote.ts'
export type { PlanAsk, Planned, PlanTrade } from './planTrade.ts'
export type { CheckPolicy, PolicyContext } from './policyContext.ts'
export { type ApprovalAsk, type Approved, approvalCalls, readApprovalAnswers } from './readApprovals.ts'
export { type PlanTerms, walletOf } from './readRequest.ts'
export type { Spending } from './spending.ts'
export {
  approveStep,
  type Draft,
  feesOf,
  limitFromEstimate,
  limitFromUse,
  lineUp,
  permit2ApproveStep,
} from './steps.ts'
export { judgeSimulation, simulationJson } from './trySimulation.ts'
