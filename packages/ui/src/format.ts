import { decimalText, grouped, trimEnd } from '@pit/protocol'

/** Display formats of numbers, times and addresses. */

const number = (options: Intl.NumberFormatOptions) => new Intl.NumberFormat('en-US', options)
const whole = number({ maximumFractionDigits: 0 })
const cents = number({ minimumFractionDigits: 2, maximumFractionDigits: 2 })
const fine = number({ minimumSignificantDigits: 2, maximumSignificantDigits: 5 })
const plain = number({ maximumSignificantDigits: 8 })

const DASH = '–'

/** Dollars: two decimals, more for small values. */
export const usd = (value: number | null | undefined): string => dollars(value, fine)

function dollars(value: number | null | undefined, small: Intl.NumberFormat): string {
  if (value === null || value === undefined) return DASH
  const size = Math.abs(value)
  const text = size >= 1 || size === 0 ? cents.format(size) : small.format(size)
  return `${value < 0 ? '−' : ''}$${text}`
}

/** A profit, fee or balance in dollars and cents; smaller sums keep their digits. */
export const centsUsd = (value: number | null | undefined): string =>
  value === null || value === undefined || Math.abs(value) < 0.005
    ? usd(value)
    : dollars(Math.round(value * 100) / 100, cents)

export const wholeUsd = (value: number): string => `${value < 0 ? '−' : ''}$${whole.format(Math.abs(value))}`
const short = number({ notation: 'compact', maximumFractionDigits: 1 })
/** `$1.2M`. */
export const shortUsd = (value: number | null | undefined): string =>
  value === null || value === undefined ? DASH : `$${short.format(value)}`
export const count = (value: number | null | undefined): string =>
  value === null || value === undefined ? DASH : whole.format(value)

const minus = (text: string): string => text.replace('-', '−')
export const bps = (value: number | null | undefined): string =>
  value === null || value === undefined ? DASH : `${minus(plain.format(Math.round(value * 10) / 10))} bps`

/** A share given in basis points. */
export const shareOf = (value: number): string => `${plain.format(value / 100)}%`

export function signedPct(value: number | null | undefined): string {
  if (value === null || value === undefined) return DASH
  const text = cents.format(Math.abs(value))
  return `${text === '0.00' ? '' : value > 0 ? '+' : '−'}${text}%`
}

export const ms = (value: number | null | undefined): string =>
  value === null || value === undefined
    ? DASH
    : `${value < 10 ? plain.format(Math.round(value * 10) / 10) : whole.format(value)} ms`

/** Atoms as whole tokens, truncated to a readable length. */
export function amount(
  atoms: string | bigint | null | undefined,
  decimals: number | null,
  digits = 6,
): string {
  if (atoms === null || atoms === undefined) return DASH
  if (decimals === null) return `${String(atoms)} atoms`
  const value = BigInt(atoms)
  const text = decimalText(value < 0n ? -value : value, decimals)
  const [units = '0', rest = ''] = text.split('.')
  const decimalsShown = Math.max(0, digits - (units === '0' ? 0 : units.length))
  const leading = units === '0' ? rest.length - rest.replace(/^0+/, '').length : 0
  const shown = trimEnd(rest.slice(0, decimalsShown + leading), '0')
  return `${value < 0n ? '−' : ''}${grouped(units)}${shown === '' ? '' : `.${shown}`}`
}

/** `0.5 ETH`. */
export const ether = (wei: string | bigint): string => `${amount(wei, 18)} ETH`

/** `pool 0.05%`. */
export const venueName = (venue: string, feePips: number | null): string =>
  `${venue.replace('venue_', '').replace('_', ' ')}${feePips === null ? '' : ` ${feePips / 10_000}%`}`

export const shortHex = (hex: string): string =>
  hex.length <= 14 ? hex : `${hex.slice(0, 6)}…${hex.slice(-4)}`

/** ISO 8601; null for a time that no date has. */
const iso = (unixS: number): string | null =>
  Math.abs(unixS) <= 8.64e12 ? new Date(unixS * 1000).toISOString() : null
const at = (unixS: number, from: number, to: number): string =>
  iso(unixS)?.slice(from, to).replace('T', ' ') ?? 'unknown time'

export const clock = (unixS: number): string => `${at(unixS, 11, 19)} UTC`
export const dateTime = (unixS: number): string => `${at(unixS, 0, 16)} UTC`
/** Date and time of a chart's point. */
export const stamp = (unixS: number): string => `${at(unixS, 5, 16)} UTC`
export const day = (unixS: number): string => at(unixS, 0, 10)

const UNITS = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
] as const

/** `1 row`, `2 rows`. */
export const many = (times: number, what: string): string =>
  `${count(times)} ${what}${times === 1 ? '' : 's'}`

/** The two largest units. */
export function duration(seconds: number): string {
  let left = Math.max(0, Math.round(seconds))
  const parts: string[] = []
  for (const [size, name] of UNITS) {
    const times = Math.floor(left / size)
    left -= times * size
    if (times > 0) parts.push(`${times} ${name}`)
    if (parts.length === 2 || (parts.length === 1 && times === 0)) break
  }
  return parts.join(' ') || '0 s'
}

export const ago = (unixS: number, nowS = Date.now() / 1000): string => `${duration(nowS - unixS)} ago`

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** `mean_reversion` as words; abbreviations stay upper case. */
export const words = (code: string): string => {
  const text = capital(code.replaceAll('_', ' ').toLowerCase())
  return text.replace(/\b(usd|dca|llm|url|twap|eth|erc20)\b/gi, (letters) => letters.toUpperCase())
}
