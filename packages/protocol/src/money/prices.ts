import { BPS } from '../numbers.ts'
import { type Fraction, fractionOf } from './decimals.ts'
import { divDown, divNearest, divUp, powerOfTen } from './division.ts'
import { MICRO_USD_PER_USD } from './dollars.ts'
import { bpsUp } from './ratios.ts'

/** Micro-dollars of one atom, an exact fraction above zero: amounts are never multiplied by a float. */
export type AtomPrice = Fraction

/** By a mark: dollars of one whole token times 10^18. The mark is above zero. */
export const markPrice = (priceE18: bigint, decimals: number): AtomPrice => ({
  num: priceE18,
  den: powerOfTen(decimals + 12),
})

/** By dollars of one whole token as a number; undefined unless it is above zero and finite. */
export function unitPrice(usd: number, decimals: number): AtomPrice | undefined {
  const fraction = fractionOf(usd)
  return fraction && { num: fraction.num * MICRO_USD_PER_USD, den: fraction.den * powerOfTen(decimals) }
}

/**
 * Value of atoms in micro-dollars, rounded down: holdings and income are never overvalued. Outflows are
 * negative atoms and round to the larger loss.
 */
export const worthDown = (atoms: bigint, { num, den }: AtomPrice): bigint => divDown(atoms * num, den)

/** The same rounded up: spending is never undervalued. */
export const worthUp = (atoms: bigint, { num, den }: AtomPrice): bigint => divUp(atoms * num, den)

/**
 * The value that a trade's input counts towards every limit in dollars, for the co-signer, the server and its agents alike.
 * An input of `atomsDown(room)` never counts as more than that room.
 */
export const countedMicroUsd = (atoms: bigint, price: AtomPrice): bigint => worthUp(atoms, price)

/** The same to the nearest: for display only. */
export const worthNearest = (atoms: bigint, { num, den }: AtomPrice): bigint => divNearest(atoms * num, den)

/** Atoms for an amount of micro-dollars, rounded down: never of a higher value. */
export const atomsDown = (microUsd: bigint, { num, den }: AtomPrice): bigint => divDown(microUsd * den, num)

/**
 * Atoms of `to` with the value of these atoms of `from`, rounded down: the output of a swap at marks.
 */
export const exchangeDown = (atoms: bigint, from: AtomPrice, to: AtomPrice): bigint =>
  divDown(atoms * from.num * to.den, from.den * to.num)

/** The same rounded up: a cost in `from`, paid in `to`. */
export const exchangeUp = (atoms: bigint, from: AtomPrice, to: AtomPrice): bigint =>
  divUp(atoms * from.num * to.den, from.den * to.num)

export interface PricedAtoms {
  atoms: bigint
  price: AtomPrice
}

/** The least atoms at a price that are worth at most this many basis points less than what is paid: see below. */
export function leastOut(paid: PricedAtoms, price: AtomPrice, bps: number): bigint {
  const left = BigInt(Math.max(0, BPS - bps))
  return divUp(paid.atoms * paid.price.num * price.den * left, paid.price.den * price.num * BigInt(BPS))
}

/**
 * Shortfall of the value of `out` against `paid` in basis points, negative if it is higher. Rounded up,
 * without rounding either value first: a trade outside its band by any fraction is outside. Zero if nothing
 * is paid.
 */
export function shortfallBpsUp(paid: PricedAtoms, out: PricedAtoms): bigint {
  const paidShare = paid.atoms * paid.price.num * out.price.den
  const outShare = out.atoms * out.price.num * paid.price.den
  return paidShare === 0n ? 0n : bpsUp(paidShare - outShare, paidShare)
}
