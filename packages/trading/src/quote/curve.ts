import { type Address, type CurvePool, quoteCurveBuy, quoteCurveSell, snipeTaxBps } from '@pit/chain'
import { BPS } from '@pit/protocol'
import type { FailedRoute } from '../types.ts'
import { idOf, type QuoterDeps } from './deps.ts'
import { impactBps } from './impact.ts'
import type { Labels } from './labels.ts'
import type { UnpricedRoute, VenueQuotes } from './unpriced.ts'

/** Measured, rounded up, including the transfer that pays the fee. */
const CURVE_GAS = 160_000

export interface CurveRequest {
  tokenIn: Address
  tokenOut: Address
  swapIn: bigint
  /** Time of the newest block; the snipe tax only falls after it. */
  atS: number
  /** Curves that charge this wallet no snipe tax, as reported by the curves. */
  exempt?: ReadonlySet<Address>
}

/** The launchpad's curves of either end; synchronous. */
export function quoteCurves(
  { market, crypto, labels }: Pick<QuoterDeps, 'market' | 'crypto'> & { labels: Labels },
  request: CurveRequest,
): VenueQuotes {
  const { tokenIn, tokenOut, swapIn: amountIn, atS } = request
  const outcome: VenueQuotes = { routes: [], failed: [] }
  for (const [token, side] of [
    [tokenOut, 'buy'],
    [tokenIn, 'sell'],
  ] as const) {
    const followed = market.curveOf(token)
    if (followed?.version !== 'curve') continue
    const curve = request.exempt?.has(followed.id) ? { ...followed, snipeStartBps: 0 } : followed
    const row = {
      id: idOf(crypto, `curve:${curve.id}:${side}`),
      venue: 'venue_curve' as const,
      label: labels.ofVenue(request, 'curve'),
    }
    const other = side === 'buy' ? tokenIn : tokenOut
    const reason = refusalOf(curve, side, other)
    if (reason) {
      outcome.failed.push({ ...row, ...reason })
      continue
    }
    const quoted = side === 'buy' ? buy(curve, amountIn, atS) : sell(curve, amountIn)
    if ('why' in quoted) outcome.failed.push({ ...row, ...quoted })
    else {
      outcome.routes.push({
        ...row,
        ...quoted,
        way: { kind: 'curve', curve: { ...curve }, side },
        quotedBy: 'memory',
        gas: CURVE_GAS,
        risks: [],
      })
    }
  }
  return outcome

  function refusalOf(curve: CurvePool, side: 'buy' | 'sell', other: Address): Reason | undefined {
    if (curve.graduated) return { code: 'CURVE_GRADUATED', why: 'The curve graduated into a pool.' }
    if (curve.pair !== other) {
      return { code: 'CURVE_PAIR', why: `The curve trades only against ${labels.nameOf(curve.pair)}.` }
    }
    const taxBps = side === 'buy' ? snipeTaxBps(curve, atS) : 0
    if (taxBps === 0) return undefined
    const retryAfterS = Math.max(1, curve.launchedAtS + curve.snipeSeconds - Math.floor(atS))
    const why = `A snipe tax of ${taxBps / 100}% applies to this wallet now. It ends in ${retryAfterS} s.`
    return { code: 'SNIPE_TAX', why, retryAfterS }
  }
}

type Reason = Pick<FailedRoute, 'why' | 'code' | 'retryAfterS'>
type Quoted = Pick<UnpricedRoute, 'amountOut' | 'impactBps'> | Reason

function buy(curve: CurvePool, amountIn: bigint, atS: number): Quoted {
  const quote = quoteCurveBuy(curve, amountIn, atS)
  if (quote?.graduates) {
    return {
      code: 'CURVE_GRADUATED',
      why: 'This buy exceeds the tokens left for sale and would fill only partly. Buy less.',
    }
  }
  if (!quote || quote.tokensOut === 0n) return NOTHING
  const netShare = 1 - (curve.curveFeeBps + curve.creatorTaxBps) / BPS
  const endless = (Number(amountIn) * netShare * Number(curve.y)) / Number(curve.x)
  return { amountOut: quote.tokensOut, impactBps: impactBps(quote.tokensOut, endless) }
}

function sell(curve: CurvePool, amountIn: bigint): Quoted {
  const quote = quoteCurveSell(curve, amountIn)
  if (!quote || quote.pairOut === 0n) return NOTHING
  const netShare = 1 - (curve.curveFeeBps + curve.creatorTaxBps) / BPS
  const endless = (Number(amountIn) * netShare * Number(curve.x)) / Number(curve.y)
  return { amountOut: quote.pairOut, impactBps: impactBps(quote.pairOut, endless) }
}

const NOTHING: Reason = { why: 'The curve returns nothing for this amount.' }
