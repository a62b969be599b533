import { decimalText, fixedText, fractionOf, grouped } from './decimals.ts'
import { divUp, powerOfTen } from './division.ts'

/**
 * Dollars are JSON numbers on the wire and integer micro-dollars inside. A number is read by its decimal
 * digits, so every amount of up to six decimals is exact; finer ones round as the function's name says.
 */

export const MICRO_USD_PER_USD = 1_000_000n

/**
 * Dollars of a size or a limit, rounded down: a limit in micro-dollars never allows more than the original,
 * and a trade never spends more than requested. Zero for values that are not positive and finite.
 */
export function microUsdDown(usd: number): bigint {
  const fraction = fractionOf(usd)
  return fraction ? (fraction.num * MICRO_USD_PER_USD) / fraction.den : 0n
}

/**
 * Dollars of a cost, rounded up, so that a charge never counts as less. Throws if it is not finite.
 */
export function microUsdUp(usd: number): bigint {
  if (!Number.isFinite(usd)) throw new RangeError(`${usd} is not a cost in dollars`)
  const fraction = fractionOf(usd)
  return fraction ? divUp(fraction.num * MICRO_USD_PER_USD, fraction.den) : 0n
}

/** Dollars on the wire: the number nearest to the decimal text, so that exact sums read as such. */
export const usdOf = (microUsd: bigint): number => Number(decimalText(microUsd, 6))

/** For messages only: $1,234.56, cut to cents towards zero. */
export function dollarsText(microUsd: bigint): string {
  const cents = (microUsd < 0n ? -microUsd : microUsd) / 10_000n
  return `${microUsd < 0n ? '-' : ''}$${grouped(fixedText(cents, 2))}`
}

/** For messages only, with every digit: 10,000.5 USD. */
export const usdText = (usd: number): string => `${grouped(usd)} USD`

/** For messages. Amounts from 1 USD are rounded up to the cent, so one above a limit is also shown above it. */
export const usdCentsText = (microUsd: bigint): string =>
  usdText(usdOf(microUsd < MICRO_USD_PER_USD ? microUsd : divUp(microUsd, 10_000n) * 10_000n))

/** Dollars of one whole token on the wire: the number nearest to the price. */
export const priceUsdOf = (priceE18: bigint): number => Number(decimalText(priceE18, 18))

/**
 * Dollars of one whole token times 10^18, from the number's decimal digits; finer digits are cut off. Zero if
 * nothing remains or the value is not a price. Use `unitPrice` to keep all digits.
 */
export function priceE18Down(usd: number): bigint {
  const fraction = fractionOf(usd)
  return fraction ? (fraction.num * powerOfTen(18)) / fraction.den : 0n
}
