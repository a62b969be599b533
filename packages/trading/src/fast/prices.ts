import type { Mark } from '@pit/market'
import {
  exchangeDown,
  FAST,
  lessBps,
  lessPipsDown,
  markPrice,
  maxOf,
  pipsTowardsZero,
  slippageCapBps,
  worthDown,
} from '@pit/protocol'
import type { Facts, FastFee, Priced } from './facts.ts'
import { swapInOf } from './rebuild.ts'
import type { PinnedRoute } from './table.ts'

const PIPS_PER_BPS = 100

/** How many basis points `amount` is below `of`, to two decimals; negative when it is above. */
export const bpsUnder = (amount: bigint, of: bigint): number =>
  of === 0n ? 0 : Number(pipsTowardsZero(of - amount, of)) / PIPS_PER_BPS

/**
 * Fresh enough to decide by: read recently, from a round within its feed's heartbeat. Fast mode refuses a
 * stale mark, planning only discloses it.
 */
export const isFresh = (mark: Mark | undefined, nowMs: number): mark is Mark =>
  mark !== undefined && !mark.stale && nowMs / 1000 - mark.readAtS <= FAST.markMaxAgeS

export function priceTrade(
  route: PinnedRoute,
  { in: markIn, out: markOut }: { in: Mark; out: Mark },
  amountIn: bigint,
  fee: FastFee,
): Priced {
  const { tokenIn, tokenOut } = route
  const swapIn = swapInOf(route, amountIn, fee.bps)
  const priceIn = markPrice(markIn.priceE18, tokenIn.decimals)
  const fairOut = exchangeDown(swapIn, priceIn, markPrice(markOut.priceE18, tokenOut.decimals))
  const notionalMicroUsd = worthDown(amountIn, priceIn)
  return {
    notionalMicroUsd,
    capBps: slippageCapBps('major', notionalMicroUsd),
    swapIn,
    fairOut,
    fairNet: route.row.fee.side === 'output' ? lessBps(fairOut, fee.bps) : fairOut,
  }
}

/**
 * The lowest min_out that passes: below the marks by at most cap, pool fee and band together, and below the
 * simulated output by at most the cap. Null without fresh marks.
 */
export function minOutFloor({ route, priced, simulation }: Facts): bigint | null {
  if (!route || !priced) return null
  const { pool, band_bps } = route.row
  const byMarks = lessPipsDown(priced.fairNet, (priced.capBps + band_bps) * PIPS_PER_BPS + pool.fee)
  if (!simulation?.ok || simulation.amountOut === null) return byMarks
  return maxOf(byMarks, lessPipsDown(simulation.amountOut, priced.capBps * PIPS_PER_BPS))
}

/** The lowest acceptable output of the pinned pool. */
export function poolFloor({ route, priced }: Facts): bigint | null {
  if (!route || !priced) return null
  return lessPipsDown(priced.fairOut, route.row.band_bps * PIPS_PER_BPS + route.row.pool.fee)
}
