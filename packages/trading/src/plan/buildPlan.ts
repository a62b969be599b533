import type { Crypto } from '@pit/chain'
import { fail, feeOf } from '@pit/protocol'
import type { TradePlan } from '../types.ts'
import type { TradeAddresses } from './addresses.ts'
import { outcomeOf } from './amounts.ts'
import { buildCurvePlan } from './buildCurvePlan.ts'
import { buildRouterPlan } from './buildRouterPlan.ts'
import type { BuildRequest, Spending } from './spending.ts'

/** Builds a plan without checking it; pure: the same request gives the same plan. */
export function buildPlan(
  deps: { crypto: Crypto; addresses: TradeAddresses },
  request: BuildRequest,
  spending: Spending,
): TradePlan {
  refuseTinyFee(request)
  const { route } = request
  const { way } = route
  return way.kind === 'curve'
    ? buildCurvePlan(deps.addresses, { ...request, route: { ...route, way } }, spending)
    : buildRouterPlan(deps, { ...request, route: { ...route, way } }, spending)
}

/** A trade whose fee rounds to zero is too small. */
function refuseTinyFee({ quote, route }: BuildRequest): void {
  const { bps, side } = quote.fee
  if (bps === 0) return
  const amount = side === 'input' ? feeOf(quote.amountIn, bps) : outcomeOf(quote, route).outputFee
  if (amount === 0n) fail('FEE_TOO_SMALL')
}
