import type { Plan, TradeParams } from './facts.ts'
import type { OwnReading } from './ownReading.ts'
import type { PlanReading } from './readPlan.ts'
import type { Checked } from './rules.ts'

/** A plan that passed every check, with its request and the data read to check it. */
export interface Verified {
  request: TradeParams
  plan: Plan
  checks: readonly Checked[]
  reading: PlanReading
  own: OwnReading
}
