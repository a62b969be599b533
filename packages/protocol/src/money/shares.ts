import { BPS } from '../numbers.ts'
import { divDown, divUp } from './division.ts'

/** Fees, slippage and splits. Rates are whole basis points from 0 to 10,000; amounts are not negative. */

const WHOLE = BigInt(BPS)
const WHOLE_PIPS = 1_000_000n

/**
 * A fee or a share, rounded down: floor(amount × bps / 10,000), to the atom what the router's PAY_PORTION
 * takes. A fee one atom larger would not be the one that the calldata pays.
 */
export const feeOf = (amount: bigint, bps: number): bigint => divDown(amount * BigInt(bps), WHOLE)

/** A share rounded up: the most that fees or losses at this rate can come to. */
export const shareUp = (amount: bigint, bps: number): bigint => divUp(amount * BigInt(bps), WHOLE)

/** The least rate whose fee of `amount` is `fee`; undefined when no whole rate up to 10,000 gives it. */
export function leastBpsOf(amount: bigint, fee: bigint): number | undefined {
  if (amount <= 0n || fee < 0n || fee > amount) return undefined
  const bps = Number(divUp(fee * WHOLE, amount))
  return feeOf(amount, bps) === fee ? bps : undefined
}

/**
 * What is left after a fee or a tax, and the least output that a slippage tolerates. What is taken off rounds
 * down, as contracts do; so a minimum rounds up, and tolerates no atom more than was asked.
 */
export const lessBps = (amount: bigint, bps: number): bigint => amount - feeOf(amount, bps)

/**
 * Less so many millionths, rounded down: a floor that somebody else's amount is held to. All of it from 100%
 * on.
 */
export const lessPipsDown = (amount: bigint, pips: number): bigint =>
  pips >= Number(WHOLE_PIPS) ? 0n : divDown(amount * (WHOLE_PIPS - BigInt(pips)), WHOLE_PIPS)

/** The least amount of which `lessBps` leaves `wanted`: never a fee too much, and never an atom too few. */
export function beforeBps(wanted: bigint, bps: number): bigint {
  if (wanted <= 0n || bps <= 0) return wanted
  return divDown((wanted - 1n) * WHOLE, WHOLE - BigInt(bps)) + 1n
}

/** The largest amount of which `lessBps` leaves no more than `left`. */
export const mostBeforeBps = (left: bigint, bps: number): bigint => divDown(left * WHOLE, WHOLE - BigInt(bps))

/**
 * Splits by rates that are 10,000 together at most, each share rounded down; `left` is what that leaves over.
 */
export function splitDown(amount: bigint, rates: readonly number[]): { shares: bigint[]; left: bigint } {
  const shares = rates.map((bps) => feeOf(amount, bps))
  return { shares, left: shares.reduce((left, share) => left - share, amount) }
}
