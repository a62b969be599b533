import { isPlainObject } from './strictJson.ts'

/** A brain's stored state of a pair. Unknown contents of older versions or other brains are ignored. */
export function keptOf(state: Record<string, unknown> | null, pair: string): Record<string, unknown> {
  const pairs = state?.['pairs']
  if (!isPlainObject(pairs) || !Object.hasOwn(pairs, pair)) return {}
  const stored = pairs[pair]
  return isPlainObject(stored) ? stored : {}
}

export const keptMicro = (value: unknown): bigint =>
  typeof value === 'string' && /^[0-9]{1,30}$/.test(value) ? BigInt(value) : 0n

export const keptSeconds = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined

export const keep = (pairs: Record<string, Record<string, unknown>>): Record<string, unknown> | null =>
  Object.keys(pairs).length === 0 ? null : { pairs }
