import { InvalidArgumentError } from 'commander'

// Parsers of option values; commander adds the option's name to the error.

export const positive = (text: string): number => {
  const value = Number(text)
  if (!(value > 0 && Number.isFinite(value))) throw new InvalidArgumentError('Must be a number above 0.')
  return value
}

/** An amount or price as decimal text, read exactly later. */
export const decimal = (text: string): string => {
  if (!/^\d{1,30}(\.\d{1,36})?$/.test(text)) throw new InvalidArgumentError('Must be a decimal number.')
  return text
}

export const notNegative = (text: string): number => {
  const value = Number(text)
  if (text.trim() === '' || !(value >= 0 && Number.isFinite(value)))
    throw new InvalidArgumentError('Must be a number of at least 0.')
  return value
}

export const hash = (text: string): `0x${string}` => {
  if (!/^0x[0-9a-fA-F]{64}$/.test(text))
    throw new InvalidArgumentError('Must be a hash: 0x and 64 hex digits.')
  return text.toLowerCase() as `0x${string}`
}

export const whole = (text: string): number => {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('Must be a whole number.')
  return Number(text)
}

const SECONDS = { s: 1, m: 60, h: 3_600, d: 86_400 } as const

/** `90s`, `30m`, `24h` or `7d`, in seconds. */
export const duration = (text: string): number => {
  const [, number, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? []
  if (number === undefined || Number(number) === 0)
    throw new InvalidArgumentError('Must be a duration such as 90s, 30m, 24h or 7d.')
  return Number(number) * SECONDS[unit as keyof typeof SECONDS]
}

export const address = (text: string): `0x${string}` => {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text))
    throw new InvalidArgumentError('Must be an address: 0x and 40 hex digits.')
  return text.toLowerCase() as `0x${string}`
}

/** A JSON object, such as a brain's params. */
export const jsonObject = (text: string): Record<string, unknown> => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new InvalidArgumentError('Must be valid JSON.')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InvalidArgumentError('Must be a JSON object.')
  return value as Record<string, unknown>
}

/** Omits undefined fields, so that options not set are absent from the request. */
export const defined = <T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never

export const port = (text: string): number => {
  const value = Number(text)
  if (!/^\d{1,5}$/.test(text) || value > 65_535)
    throw new InvalidArgumentError('Must be a port from 0 to 65535.')
  return value
}
