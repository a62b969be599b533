import { DYNAMIC_FEE } from '@pit/chain'
import { COSIGNER, lessBps, shortfallBpsUp, slippageTolerance, TRADE, worthUp } from '@pit/protocol'
import { broken, must } from '../errors.ts'
import { markOf } from '../own/marks.ts'
import { cheaper, POOL_BAND_BPS, SIZE_BAND_BPS } from '../own/ownPrice.ts'
import { ownMark } from '../own/price.ts'
import { checkBudget, mustBeWorth } from './approvals.ts'
import type { OwnReading } from './ownReading.ts'
import type { Terms } from './terms.ts'

/** Rounding of sizes and of a minimum that both sides compute. */
export const ROUNDING_BPS = 5

/** The requested slippage, or the table's for the class and size; never the one in the server's answer. */
export function slippageOf({ request, pins, plan, reading, tokenOut }: Terms, own: OwnReading): number {
  if (request.slippage_bps !== undefined) return request.slippage_bps
  const { paid } = own.market
  const bought = ownMark(own.marks, tokenOut, pins)
  const worths = [
    ...(paid ? [worthUp(reading.amountIn, cheaper(paid))] : []),
    ...(bought && paid?.bid.bandBps !== undefined ? [worthUp(reading.amountOutMin, bought)] : []),
  ]
  // Smaller trades are given more: one of unknown size as the smallest, one at a row's edge as the row below.
  const band = paid?.bid.bandBps ?? SIZE_BAND_BPS
  const least = worths.reduce<bigint | null>((low, one) => (low === null || one < low ? one : low), null)
  return slippageTolerance(plan.fee_class, ((least ?? 0n) * (10_000n - band)) / 10_000n).defaultBps
}

/** No pool on the way may charge more than the service itself allows. */
export function checkPoolFees({ reading }: Pick<Terms, 'reading'>, { dynamicFeesPips }: OwnReading): void {
  const fixed = reading.legs.flatMap(({ hops }) =>
    hops.flatMap((hop) => {
      if (hop.version === 'v3') return [hop.feePips]
      return hop.version === 'v4' && hop.key.fee !== DYNAMIC_FEE ? [hop.key.fee] : []
    }),
  )
  for (const pips of [...fixed, ...dynamicFeesPips]) {
    const isFair = pips <= TRADE.maxPoolFeePips
    must(
      isFair,
      'PRICE',
      `a pool on the way charges ${pips / 10_000}%, ${TRADE.maxPoolFeePips / 10_000}% at most`,
    )
  }
}

/** Checks size, approvals and minimum against the client's own prices; false if an end has none. */
export function checkPrice(terms: Terms, own: OwnReading, slippageBps: number): boolean {
  const { reading, request, accepted } = terms
  const { paid, bestOut } = own.market
  if (request.notional_usd !== undefined) mustBeWorth(request.notional_usd, reading.amountIn, paid)
  checkBudget(terms, paid?.atSize ?? null)
  if (checkByMarks(terms, own, slippageBps)) return true
  if (bestOut === null) {
    const why =
      'the client’s node shows no pool or curve to price a token by; accept NO_REFERENCE to trade it'
    must(accepted.includes('NO_REFERENCE'), 'PRICE', why, { own_price: null })
    return false
  }
  checkByVenues(terms, own, { bestOut, slippageBps })
  return true
}

function checkByMarks(
  { pins, tokenIn, tokenOut, plan, reading }: Terms,
  { marks }: OwnReading,
  slippageBps: number,
): boolean {
  const [paid, bought] = [markOf(marks, tokenIn, pins.weth), markOf(marks, tokenOut, pins.weth)]
  if (!paid || !bought) return false
  const isMean = paid.source === 'twap' || bought.source === 'twap'
  const band = TRADE.maxVsMidBps + (isMean ? COSIGNER.meanBandBps : COSIGNER.feedBandBps)
  const limit = slippageBps + plan.fee_bps + band + ROUNDING_BPS
  const lost = shortfallBpsUp(
    { atoms: reading.amountIn, price: ownMark(marks, tokenIn, pins)! },
    { atoms: reading.amountOutMin, price: ownMark(marks, tokenOut, pins)! },
  )
  must(
    lost <= BigInt(limit),
    'PRICE',
    `the minimum output is ${lost} bps below the input, the limit is ${limit} bps`,
  )
  return true
}

/** The best venue that the client found bounds the planned route, even if a liar made the pools of that route. */
function checkByVenues(
  { pins, tokenOut, plan, accepted }: Terms,
  { route }: OwnReading,
  { bestOut, slippageBps }: { bestOut: bigint; slippageBps: number },
): void {
  const band = Number(POOL_BAND_BPS)
  const details = { best_out: bestOut.toString() }
  if (route) must(route.out >= lessBps(bestOut, band), 'PRICE', 'other pools pay at least 10% more', details)
  const limit = Math.min(slippageBps + plan.fee_bps + band + ROUNDING_BPS, 10_000)
  if (BigInt(plan.amount_out_min) >= lessBps(bestOut, limit)) return
  // The route itself is fair: what is missing is a tax of the token.
  const isPurchase = !pins.tokens.has(tokenOut)
  if (route && accepted.includes(isPurchase ? 'BUY_TAX' : 'SELL_TAX')) return
  if (!route || isPurchase) broken('PRICE', 'the minimum output is far below what other pools pay', details)
  broken('RISK_NOT_ACCEPTED', 'SELL_TAX: the wallet receives far less than the pools pay', {
    code: 'SELL_TAX',
    ...details,
  })
}
