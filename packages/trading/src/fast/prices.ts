import { feeOf } from '@pit/chain'
import type { Mark } from '@pit/market'
import { valueMicroUsd } from '@pit/platform/marks'
import { FAST, TRADE } from '@pit/protocol'
import type { Facts, FastFee, Priced } from './facts.ts'
import { swapInOf } from './rebuild.ts'
import type { PinnedRoute } from './table.ts'

const PIPS = 1_000_000n
const PIPS_PER_BPS = 100

/** Less so many millionths, rounded down. */
export const lessPips = (amount: bigint, pips: number): bigint =>
  pips >= 1_000_000 ? 0n : (amount * (PIPS - BigInt(pips))) / PIPS

/** How many basis points `amount` is below `of`, to two decimals; negative when it is above. */
export const bpsUnder = (amount: bigint, of: bigint): number =>
  of === 0n ? 0 : Number(((of - amount) * PIPS) / of) / PIPS_PER_BPS

/**
 * Fresh enough to judge by: read here lately, of a round within its feed's heartbeat. Fast mode refuses what
 * planning would only disclose.
 */
export const isFresh = (mark: Mark | undefined, nowMs: number): mark is Mark =>
  mark !== undefined && !mark.stale && nowMs / 1000 - mark.readAtS <= FAST.markMaxAgeS

/** The most that a trade of this size may slip. */
export function capBpsOf(notionalMicroUsd: bigint): number {
  const rows = TRADE.slippageToleranceBySize
  const row = rows.find(({ up_to_usd }) => notionalMicroUsd <= BigInt(up_to_usd) * 1_000_000n)
  return (row ?? rows[rows.length - 1]!).major.cap_bps
}

export function priceTrade(
  route: PinnedRoute,
  { in: markIn, out: markOut }: { in: Mark; out: Mark },
  amountIn: bigint,
  fee: FastFee,
): Priced {
  const { tokenIn, tokenOut } = route
  const swapIn = swapInOf(route, amountIn, fee.bps)
  const fairOut =
    (swapIn * markIn.priceE18 * 10n ** BigInt(tokenOut.decimals)) /
    (markOut.priceE18 * 10n ** BigInt(tokenIn.decimals))
  const notionalMicroUsd = valueMicroUsd(amountIn, tokenIn.decimals, markIn.priceE18)
  return {
    notionalMicroUsd,
    capBps: capBpsOf(notionalMicroUsd),
    swapIn,
    fairOut,
    fairNet: route.row.fee.side === 'output' ? fairOut - feeOf(fairOut, fee.bps) : fairOut,
  }
}

/**
 * The least min_out that passes: no further under the marks than cap, pool fee and band together, and no
 * further under what the simulation delivers than the cap. Null without fresh marks.
 */
export function minOutFloor({ route, priced, simulation }: Facts): bigint | null {
  if (!route || !priced) return null
  const { pool, band_bps } = route.row
  const byMarks = lessPips(priced.fairNet, (priced.capBps + band_bps) * PIPS_PER_BPS + pool.fee)
  if (!simulation?.ok || simulation.amountOut === null) return byMarks
  const bySimulation = lessPips(simulation.amountOut, priced.capBps * PIPS_PER_BPS)
  if (bySimulation > byMarks) return bySimulation
  return byMarks
}

/** The least the pinned pool may give. */
export function poolFloor({ route, priced }: Facts): bigint | null {
  if (!route || !priced) return null
  return lessPips(priced.fairOut, route.row.band_bps * PIPS_PER_BPS + route.row.pool.fee)
}

/** Dollars of a request in millionths; what is no amount of money is more than any. */
export function microUsdOf(usd: number): bigint {
  const micro = Math.round(usd * 1e6)
  return Number.isSafeInteger(micro) ? BigInt(micro) : BigInt(Number.MAX_SAFE_INTEGER)
}

export const dollars = (microUsd: bigint): number => Number(microUsd) / 1e6
