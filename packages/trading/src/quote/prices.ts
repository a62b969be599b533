import type { TradeToken } from '../types.ts'

/** Millionths of a dollar for one atom, as an exact fraction: amounts are never multiplied by a float. */
export interface Price {
  num: bigint
  den: bigint
}

const MICRO = 1_000_000n
const E18 = 10n ** 18n

/** Rounded down. */
export const worthOf = (atoms: bigint, { num, den }: Price): bigint => (atoms * num) / den
/** Rounded down: never more than the dollars buy. */
export const atomsFor = (microUsd: bigint, { num, den }: Price): bigint => (microUsd * den) / num

/** A number's own decimal digits as a fraction; undefined unless it is above zero and finite. */
export function fractionOf(value: number): { num: bigint; den: bigint } | undefined {
  if (!Number.isFinite(value) || value <= 0) return undefined
  const [mantissa = '0', power = '0'] = value.toExponential().split('e')
  const [whole = '0', part = ''] = mantissa.split('.')
  const digits = BigInt(whole + part)
  const exponent = Number(power) - part.length
  return exponent >= 0
    ? { num: digits * 10n ** BigInt(exponent), den: 1n }
    : { num: digits, den: 10n ** BigInt(-exponent) }
}

/** Dollars of a request as millionths, by the digits that were sent; what is finer is cut off. */
export function microUsdOf(usd: number): bigint {
  const fraction = fractionOf(usd)
  return fraction ? (fraction.num * MICRO) / fraction.den : 0n
}

export const usdOf = (microUsd: bigint): number => Number(microUsd) / 1e6

type Priced = Pick<TradeToken, 'mark' | 'record' | 'decimals'>

export function markPriceOf({ mark, decimals }: Pick<TradeToken, 'mark' | 'decimals'>): Price | undefined {
  if (mark === undefined || mark.priceE18 <= 0n) return undefined
  return { num: mark.priceE18 * MICRO, den: E18 * 10n ** BigInt(decimals) }
}

/** By the price its record compares trades with: a mean of half an hour, or what its pools say. */
export function referencePriceOf({ record, decimals }: Omit<Priced, 'mark'>): Price | undefined {
  return unitPrice(record.reference.price_usd ?? 0, decimals)
}

/** The independent mark, else the reference. */
export const priceOf = (token: Priced): Price | undefined => markPriceOf(token) ?? referencePriceOf(token)

/** Of a whole unit in dollars. */
export function unitPrice(usd: number, decimals: number): Price | undefined {
  const fraction = fractionOf(usd)
  return fraction && { num: fraction.num * MICRO, den: fraction.den * 10n ** BigInt(decimals) }
}

/** Dollars for a whole unit, to show and to compare. */
export function unitUsd(token: Priced): number | null {
  if (token.mark !== undefined && token.mark.priceE18 > 0n) return Number(token.mark.priceE18) / 1e18
  const usd = token.record.reference.price_usd ?? null
  return usd !== null && usd > 0 ? usd : null
}
