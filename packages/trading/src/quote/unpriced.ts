import type { FailedRoute, PricedRoute } from '../types.ts'

/** A quoted route before it is compared with mids, references and gas. */
export type UnpricedRoute = Pick<
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

export interface VenueQuotes {
  routes: UnpricedRoute[]
  failed: FailedRoute[]
}
