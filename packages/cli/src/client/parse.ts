import { InvalidArgumentError } from 'commander'

// What options are read with: a wrong one is said by commander, with the option's name.

export const positive = (text: string): number => {
  const value = Number(text)
  if (!(value > 0 && Number.isFinite(value))) throw new InvalidArgumentError('It must be a number above 0.')
  return value
}

export const whole = (text: string): number => {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}

const SECONDS = { s: 1, m: 60, h: 3_600, d: 86_400 } as const

/** `90s`, `30m`, `24h` or `7d`, in seconds. */
export const duration = (text: string): number => {
  const [, number, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? []
  if (number === undefined || Number(number) === 0)
    throw new InvalidArgumentError('It must be like 90s, 30m, 24h or 7d.')
  return Number(number) * SECONDS[unit as keyof typeof SECONDS]
}

export const address = (text: string): `0x${string}` => {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text))
    throw new InvalidArgumentError('It must be an address of 40 hex digits.')
  return text.toLowerCase() as `0x${string}`
}

/** A JSON object, such as a brain's params. */
export const jsonObject = (text: string): Record<string, unknown> => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new InvalidArgumentError('It must be JSON.')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InvalidArgumentError('It must be a JSON object.')
  return value as Record<string, unknown>
}

/** Only what was given: an option left out is left out of the request too. */
export const given = <T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never
