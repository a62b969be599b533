export { isUnlimited, MAX_UINT160 } from './approvals.ts'
export { type Judgement, judgeQuote } from './chooseRoute.ts'
export { createPlanner, type Planner } from './createPlanner.ts'
export type { PlannerDeps } from './deps.ts'
export { describePlan, type PlanAnswer, stepJson, txJson } from './describePlan.ts'
export { missingJson } from './holdings.ts'
export { judgeSimulation } from './judgeSimulation.ts'
export { type PlanRequest, type PlanTerms, walletOf } from './planRequest.ts'
export type { Planned, PlanParams, PlanTrade } from './planTrade.ts'
export type { CheckPolicy, PolicyContext } from './policyContext.ts'
export type { Prepared } from './prepareTrade.ts'
export { type ApprovalRequest, type Approved, approvalCalls, readApprovalAnswers } from './readApprovals.ts'
export type { Revocation, RevokeParams, TokenApproval } from './revokeApprovals.ts'
export type { Simulated, SimulateRequest } from './simulateTrade.ts'
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
export { simulationChecks, simulationJson } from './trySimulation.ts'
