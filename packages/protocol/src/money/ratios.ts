import { BPS } from '../numbers.ts'
import { divDown, divNearest, divUp } from './division.ts'

/** A part relative to `whole`. The whole is above zero; a part may be negative, such as a loss. */

const WHOLE_BPS = BigInt(BPS)
const WHOLE_PIPS = 1_000_000n

/** Basis points, rounded down: a return is never shown better than it was, and a loss never smaller. */
export const bpsDown = (part: bigint, whole: bigint): bigint => divDown(part * WHOLE_BPS, whole)

/** Basis points, rounded up: for comparison with a limit. */
export const bpsUp = (part: bigint, whole: bigint): bigint => divUp(part * WHOLE_BPS, whole)

/** Basis points, to the nearest: for measurements, in which an atom of rounding must not look like a tax. */
export const bpsNearest = (part: bigint, whole: bigint): bigint => divNearest(part * WHOLE_BPS, whole)

/** Basis points, cut towards zero: for price changes, symmetric in both directions. */
export const bpsTowardsZero = (part: bigint, whole: bigint): bigint => (part * WHOLE_BPS) / whole

/** Millionths, cut towards zero: basis points or per cent with decimals, to show. */
export const pipsTowardsZero = (part: bigint, whole: bigint): bigint => (part * WHOLE_PIPS) / whole

/**
 * Whether `value` is within a number of basis points of `of`, in either direction. Exact, without rounding.
 */
export function isWithinBps(value: bigint, of: bigint, bps: number): boolean {
  const apart = value > of ? value - of : of - value
  return apart * WHOLE_BPS <= of * BigInt(bps)
}
