import { type Clock, nowS, withinMs } from '@pit/platform/clock'
import type { Logger } from '@pit/platform/monitoring'
import { fail, isPitError, microUsdDown, TRADE } from '@pit/protocol'
import type { Check, PlanSimulation, PricedRoute, TradeParams, TradeQuote } from '../types.ts'
import type { Quoter } from './createQuoter.ts'
import { receivedOf } from './measure.ts'
import { bestOf, refuseUnrouted } from './rows.ts'
import { tooSmall } from './tooSmall.ts'

export interface ShowQuoteDeps {
  quoter: Quoter
  /** Runs every policy rule for this route that needs no wallet. */
  checkPolicy(quote: TradeQuote, context: { acceptRisks: readonly string[]; route?: PricedRoute }): Check[]
  /** Simulates the exact calls of a plan for this route, from the synthetic wallet with lent funds. */
  simulateRoute(quote: TradeQuote, route: PricedRoute): Promise<PlanSimulation>
  clock: Clock
  logger: Pick<Logger, 'warn'>
  simulateMs?: number
}

/** Output of the best route for the wallet: simulated, or as quoted without a simulation. */
type BestRoute = { route: PricedRoute; quotedAmountOut: bigint } & (
  | { simulated: true; amountOut: bigint }
  | { simulated: false; why: string }
)

export interface ShownQuote {
  quote: TradeQuote
  /** Null if no route can be built. */
  best: BestRoute | null
  policy: Check[]
  /** Whether a plan of the best route would pass. */
  policyOk: boolean
  atS: number
  timings: Record<string, number>
}

/** After this the quote is returned without a simulation. */
const SIMULATE_MS = 2_500

/** All routes, with the best one simulated. Discloses risks and never refuses for them. */
export async function showQuote(
  deps: ShowQuoteDeps,
  { trade, acceptRisks }: { trade: TradeParams; acceptRisks: readonly string[] },
): Promise<ShownQuote> {
  const startedAt = performance.now()
  refusePolicies(trade)
  const quote = await deps.quoter.quoteTrade(trade, { changedTokens: 'screen again' })
  refuseSize(quote)
  if (quote.routes.length === 0) refuseUnrouted(quote)
  const route = bestOf(quote)
  const simulatedAt = performance.now()
  const best = route ? await simulated(deps, quote, route) : null
  const endedAt = performance.now()
  const policy = deps.checkPolicy(quote, { acceptRisks, ...(route && { route }) })
  return {
    quote,
    best,
    policy,
    // Without a buildable route no plan would pass.
    policyOk:
      route !== undefined && policy.every(({ ok, severity }) => ok || (severity ?? 'refuse') !== 'refuse'),
    atS: nowS(deps.clock),
    timings: {
      ...quote.timings,
      simulate: ms(endedAt - simulatedAt),
      total: ms(performance.now() - startedAt),
    },
  }
}

/** The same for quotes and plans. */
export function refusePolicies({ policies, shield }: Pick<TradeParams, 'policies' | 'shield'>): void {
  if (policies !== null && policies.length > 0 && !shield) {
    fail('BAD_REQUEST', {
      field: 'policies',
      message: '`policies` requires `shield: true`.',
    })
  }
}

/** Refuses sizes out of range, as a plan would. */
function refuseSize(quote: TradeQuote): void {
  const { notionalMicroUsd, request } = quote
  if (notionalMicroUsd === null) return
  const field = request.amountIn === undefined ? 'notional_usd' : 'amount_in'
  const [min, max] = [microUsdDown(TRADE.minNotionalUsd), microUsdDown(TRADE.maxNotionalUsd)]
  if (notionalMicroUsd < min) {
    const askedIn = field === 'amount_in' ? 'atoms' : 'dollars'
    fail('MIN_NOTIONAL', { field, message: tooSmall(quote, askedIn) })
  }
  if (notionalMicroUsd > max) fail('MAX_NOTIONAL', { field })
}

async function simulated(
  { simulateRoute, logger, simulateMs = SIMULATE_MS }: ShowQuoteDeps,
  quote: TradeQuote,
  route: PricedRoute,
): Promise<BestRoute> {
  const best = { route, quotedAmountOut: receivedOf(quote, route) }
  const unsimulated = (why: string): BestRoute => ({ ...best, simulated: false, why })
  try {
    const tooLate = () => new Error('late')
    const simulation = await withinMs(simulateMs, simulateRoute(quote, route), tooLate)
    if (!simulation.ok || simulation.amountOut === null) {
      return unsimulated(`The simulation failed: ${simulation.error ?? 'nothing was delivered'}.`)
    }
    return { ...best, simulated: true, amountOut: simulation.amountOut }
  } catch (error) {
    if (isPitError(error)) return unsimulated(error.message)
    logger.warn({ err: error, route: route.id }, 'failed to simulate the best route')
    return unsimulated('The simulation is not available right now.')
  }
}

const ms = (value: number) => Math.round(value * 1_000) / 1_000
