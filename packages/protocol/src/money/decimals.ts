import { trimEnd } from '../trimEnd.ts'
import { divDown, powerOfTen } from './division.ts'

/** Exact text with all decimals: 1,500,000 with six is 1.500000. */
export function fixedText(value: bigint, decimals: number): string {
  const digits = (value < 0n ? -value : value).toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const sign = value < 0n ? '-' : ''
  return decimals === 0 ? `${sign}${whole}` : `${sign}${whole}.${digits.slice(-decimals)}`
}

/** Exact text without trailing zeros: 1,500,000 with six decimals is 1.5. */
export function decimalText(value: bigint, decimals: number): string {
  const text = fixedText(value, decimals)
  if (decimals === 0) return text
  return trimEnd(trimEnd(text, '0'), '.')
}

/** A decimal with its thousands grouped, for people: 12,345.6. Programs parse ungrouped texts only. */
export const grouped = (decimal: number | string): string => {
  const [whole = '', ...rest] = String(decimal).split('.')
  return [whole.replace(/\B(?=(?:\d{3}){1,30}$)/g, ','), ...rest].join('.')
}

/** Like `decimalText`, for people: 1,234,500,000 with six decimals is 1,234.5. */
export const groupedText = (value: bigint, decimals: number): string => grouped(decimalText(value, decimals))

/** Wei for people: 0.5 ETH. */
export const etherText = (wei: bigint): string => `${groupedText(wei, 18)} ETH`

/** Reads a plain decimal exactly; undefined for a sign, an exponent, or digits finer than `decimals`. */
export function parseDecimal(text: string, decimals: number): bigint | undefined {
  const [, whole, part = ''] = /^(\d+)(?:\.(\d+))?$/.exec(text) ?? []
  if (whole === undefined || part.length > decimals) return undefined
  return BigInt(whole + part.padEnd(decimals, '0'))
}

/** The same value with other decimals; finer digits are cut off, never rounded up. */
export const rescaleDown = (value: bigint, from: number, to: number): bigint =>
  to >= from ? value * powerOfTen(to - from) : divDown(value, powerOfTen(from - to))

export interface Fraction {
  num: bigint
  den: bigint
}

/**
 * A number's decimal digits as an exact fraction: 0.29 is 29/100, although the double is a little less.
 * Undefined unless it is above zero and finite.
 */
export function fractionOf(value: number): Fraction | undefined {
  if (!Number.isFinite(value) || value <= 0) return undefined
  const [mantissa = '0', power = '0'] = value.toExponential().split('e')
  const [whole = '0', part = ''] = mantissa.split('.')
  const digits = BigInt(whole + part)
  const exponent = Number(power) - part.length
  return exponent >= 0
    ? { num: digits * powerOfTen(exponent), den: 1n }
    : { num: digits, den: powerOfTen(-exponent) }
}
