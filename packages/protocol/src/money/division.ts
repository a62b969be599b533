/**
 * Integer division with explicit rounding. The divisor is above zero; dividends have either sign.
 */

/** Towards minus infinity: never more than the exact quotient. */
export function divDown(value: bigint, by: bigint): bigint {
  const cut = value / by
  return value < 0n && cut * by !== value ? cut - 1n : cut
}

/** Towards plus infinity: never less than the exact quotient. */
export function divUp(value: bigint, by: bigint): bigint {
  const cut = value / by
  return value > 0n && cut * by !== value ? cut + 1n : cut
}

/** To the nearest, halves up: for display only. */
export const divNearest = (value: bigint, by: bigint): bigint => divDown(2n * value + by, 2n * by)

/** A token's decimals fit a uint8; a table, because a season values ten thousand books at once. */
const POWERS = Array.from({ length: 256 + 18 }, (_, exponent) => 10n ** BigInt(exponent))

export const powerOfTen = (exponent: number): bigint => POWERS[exponent] ?? 10n ** BigInt(exponent)

export function minOf(first: bigint, ...others: bigint[]): bigint {
  let smallest = first
  for (const value of others) if (value < smallest) smallest = value
  return smallest
}

export function maxOf(first: bigint, ...others: bigint[]): bigint {
  let largest = first
  for (const value of others) if (value > largest) largest = value
  return largest
}
