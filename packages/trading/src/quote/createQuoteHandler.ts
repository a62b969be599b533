import type { Call, Charge, Handler } from '@pit/platform/call'
import { type Clock, nowS } from '@pit/platform/clock'
import type { Logger } from '@pit/platform/logger'
import { withinMs } from '@pit/platform/withinMs'
import { type Answer, fail, isPitError, TRADE } from '@pit/protocol'
import type { Check, PlanSimulation, PricedRoute, TradeAsk, TradeQuote } from '../types.ts'
import type { Quoter } from './createQuoter.ts'
import { receivedOf } from './measure.ts'
import { usdOf } from './prices.ts'
import { readPolicies } from './readPolicies.ts'
import { bestOf, disclosuresOf, marksOf, refuseUnrouted, routeRowOf } from './rows.ts'

type QuoteAnswer = Answer<'live.quote'>

export interface QuoteHandlerDeps {
  quoter: Quoter
  /** Every rule a plan of this route would be held to, as far as they can run without a wallet. */
  checkPolicy(quote: TradeQuote, context: { acceptRisks: readonly string[]; route?: PricedRoute }): Check[]
  /** The route in exactly the calls a plan would have, from a wallet of our own on lent funds. */
  simulateRoute(quote: TradeQuote, route: PricedRoute): Promise<PlanSimulation>
  charge: Charge
  clock: Clock
  logger: Pick<Logger, 'warn'>
  simulateMs?: number
}

/** A simulation that takes longer is left: the quote is answered without it. */
const SIMULATE_MS = 2_500

/** POST live/quote: every route, the best one simulated. Discloses, and refuses for no risk. */
export function createQuoteHandler(deps: QuoteHandlerDeps): Handler<'live.quote'> {
  return async (call) => {
    const startedAt = performance.now()
    const quote = await deps.quoter.quoteTrade(askOf(deps, call), { changedTokens: 'screen again' })
    refuseSize(quote)
    if (quote.routes.length === 0) refuseUnrouted(quote)
    const route = bestOf(quote)
    const simulatedAt = performance.now()
    const best = route ? await simulated(deps, quote, route) : null
    const endedAt = performance.now()
    const policy = deps.checkPolicy(quote, { acceptRisks: call.body.accept_risks, ...(route && { route }) })
    return {
      token_in: quote.tokenIn.address,
      token_out: quote.tokenOut.address,
      amount_in: quote.amountIn.toString(),
      notional_usd: quote.notionalMicroUsd === null ? null : usdOf(quote.notionalMicroUsd),
      slippage_bps: quote.slippageBps,
      best,
      routes: [...quote.routes, ...quote.failed].map((row) => routeRowOf(row, quote)),
      candidates: quote.candidates,
      mid: quote.mid,
      marks: marksOf(quote, nowS(deps.clock)),
      gas_price_wei: quote.gasPriceWei.toString(),
      eth_usd: quote.ethUsd,
      policy,
      // Without a route that can be built no plan would pass.
      policy_ok:
        route !== undefined && policy.every(({ ok, severity }) => ok || (severity ?? 'refuse') !== 'refuse'),
      timings: {
        ...quote.timings,
        simulate: ms(endedAt - simulatedAt),
        total: ms(performance.now() - startedAt),
      },
      ...disclosuresOf(quote),
    }
  }
}

function askOf({ charge }: QuoteHandlerDeps, { body, caller }: Call<'live.quote'>): TradeAsk {
  const { notional_usd, amount_in, slippage_bps } = body
  return {
    wallet: caller.key?.wallet ?? null,
    tokenIn: body.token_in,
    tokenOut: body.token_out,
    ...(notional_usd !== undefined && { notionalUsd: notional_usd }),
    ...(amount_in !== undefined && { amountIn: BigInt(amount_in) }),
    ...(slippage_bps !== undefined && { slippageBps: slippage_bps }),
    venues: body.venues,
    shield: body.shield,
    policies: readPolicies(body),
    fast: body.fast,
    admit: () => charge(caller, ['screen.caller', 'screen.overall']),
  }
}

/** Sizes out of range are refused here too: no plan could be had of them. */
function refuseSize({ notionalMicroUsd, ask }: TradeQuote): void {
  if (notionalMicroUsd === null) return
  const field = ask.amountIn === undefined ? 'notional_usd' : 'amount_in'
  const [min, max] = [BigInt(TRADE.minNotionalUsd) * 1_000_000n, BigInt(TRADE.maxNotionalUsd) * 1_000_000n]
  if (notionalMicroUsd < min) fail('MIN_NOTIONAL', { field })
  if (notionalMicroUsd > max) fail('MAX_NOTIONAL', { field })
}

/**
 * The best route with what a simulation says of it, or why there is none. Its amount_out is what the wallet receives:
 * simulated or, without a simulation, as quoted.
 */
async function simulated(
  { simulateRoute, logger, simulateMs = SIMULATE_MS }: QuoteHandlerDeps,
  quote: TradeQuote,
  route: PricedRoute,
): Promise<NonNullable<QuoteAnswer['best']>> {
  const received = receivedOf(quote, route).toString()
  const row = { ...routeRowOf(route, quote), amount_out: received, quoted_amount_out: received }
  const left = (why: string) => ({ ...row, simulated: false, why })
  try {
    const tooLate = () => new Error('late')
    const simulation = await withinMs(simulateMs, simulateRoute(quote, route), tooLate)
    if (!simulation.ok || simulation.amountOut === null) {
      return left(`The simulation failed: ${simulation.error ?? 'nothing was delivered'}`)
    }
    return { ...row, amount_out: simulation.amountOut.toString(), simulated: true }
  } catch (error) {
    if (isPitError(error)) return left(error.message)
    logger.warn({ err: error, route: route.id }, 'the best route was not simulated')
    return left('It could not be simulated now.')
  }
}

const ms = (value: number) => Math.round(value * 1_000) / 1_000
