export type { PlanHop, SwapFee, SwapPlan } from './types.ts'
