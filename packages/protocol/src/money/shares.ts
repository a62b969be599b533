import { BPS } from '../numbers.ts'
import { divDown, divUp } from './division.ts'

/** Fees, slippage and splits. Rates are whole basis points from 0 to 10,000; amounts are not negative. */

const WHOLE = BigInt(BPS)
const WHOLE_PIPS = 1_000_000n

/**
 * A fee or a share, rounded down: floor(amount × bps / 10,000), to the atom equal to the router's
 * PAY_PORTION. A fee one atom larger would differ from the calldata's.
 */
export const feeOf = (amount: bigint, bps: number): bigint => divDown(amount * BigInt(bps), WHOLE)

/** A share rounded up: the maximum of fees or losses at this rate. */
export const shareUp = (amount: bigint, bps: number): bigint => divUp(amount * BigInt(bps), WHOLE)

/** The lowest rate whose fee of `amount` is `fee`; undefined if no whole rate up to 10,000 gives it. */
export function leastBpsOf(amount: bigint, fee: bigint): number | undefined {
  if (amount <= 0n || fee < 0n || fee > amount) return undefined
  const bps = Number(divUp(fee * WHOLE, amount))
  return feeOf(amount, bps) === fee ? bps : undefined
}

/**
 * The amount after a fee or tax, and the minimum output for a slippage. The deduction rounds down, as in
 * contracts, so a minimum rounds up and never allows more slippage than requested.
 */
export const lessBps = (amount: bigint, bps: number): bigint => amount - feeOf(amount, bps)

/**
 * The amount minus this many millionths, rounded down: a floor for another party's amount. Zero from 100% on.
 */
export const lessPipsDown = (amount: bigint, pips: number): bigint =>
  pips >= Number(WHOLE_PIPS) ? 0n : divDown(amount * (WHOLE_PIPS - BigInt(pips)), WHOLE_PIPS)

/** The smallest amount for which `lessBps` gives `wanted`. */
export function beforeBps(wanted: bigint, bps: number): bigint {
  if (wanted <= 0n || bps <= 0) return wanted
  return divDown((wanted - 1n) * WHOLE, WHOLE - BigInt(bps)) + 1n
}

/** The largest amount for which `lessBps` gives at most `left`. */
export const mostBeforeBps = (left: bigint, bps: number): bigint => divDown(left * WHOLE, WHOLE - BigInt(bps))

/**
 * Splits by rates with a sum of at most 10,000, each share rounded down; `left` is the remainder.
 */
export function splitDown(amount: bigint, rates: readonly number[]): { shares: bigint[]; left: bigint } {
  const shares = rates.map((bps) => feeOf(amount, bps))
  return { shares, left: shares.reduce((left, share) => left - share, amount) }
}
