import type { FailedRoute, PricedRoute } from '../types.ts'

/** A route that quoted, before it is held against mids, references and gas. */
export type Found = Pick<
  PricedRoute,
  | 'id'
  | 'venue'
  | 'label'
  | 'way'
  | 'quotedBy'
  | 'amountOut'
  | 'outAfterSellTax'
  | 'gas'
  | 'impactBps'
  | 'risks'
>

export interface Outcome {
  found: Found[]
  failed: FailedRoute[]
}
