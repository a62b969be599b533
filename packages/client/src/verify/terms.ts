import type { Plan, PlanFacts } from './facts.ts'
import type { PlanReading } from './readPlan.ts'

/** The verified fields of a plan; a session's trade has the same. */
export type PlanTerms = Pick<
  Plan,
  | 'amount_in'
  | 'amount_out_min'
  | 'amount_out_expected'
  | 'fee_class'
  | 'fee_bps'
  | 'fee_side'
  | 'risks'
  | 'shield'
  | 'audit'
>
/** All that the rules look at. */
export interface Terms extends Omit<PlanFacts, 'plan'> {
  plan: PlanTerms
  /** Risks that the caller accepted itself: the service's word accepts nothing that the client can prove. */
  accepted: readonly string[]
  reading: PlanReading
}
