import { type RpcFailure, rpcFailure } from './provider.ts'
import { SIMULATE_CODE } from './simulateFailure.ts'
import type { Hex } from './types.ts'

/** Parsers of untrusted JSON: a value of the required kind, or -32602 with the field's path. */
export type Fields = Record<string, unknown>

export const invalid = (message: string): RpcFailure => rpcFailure(SIMULATE_CODE.invalidParams, message)
export const isPresent = (value: unknown): boolean => value !== undefined && value !== null

export function optional<K extends string, T>(
  key: K,
  value: unknown,
  read: (value: unknown) => T,
): { [P in K]?: T } {
  return isPresent(value) ? ({ [key]: read(value) } as { [P in K]?: T }) : {}
}

export function object(value: unknown, at: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid(`${at} is not an object`)
  return value as Fields
}

export const optionalObject = (value: unknown, at: string): Fields =>
  isPresent(value) ? object(value, at) : {}

export function array(value: unknown, at: string): unknown[] {
  if (!Array.isArray(value)) throw invalid(`${at} is not an array`)
  return value
}

export function flag(value: unknown, at: string): boolean {
  if (!isPresent(value)) return false
  if (typeof value !== 'boolean') throw invalid(`${at} is not a boolean`)
  return value
}

export function quantity(value: unknown, at: string): bigint {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return BigInt(value)
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{1,64}$/.test(value))
    throw invalid(`${at} is not a quantity`)
  return BigInt(value)
}

export function bytes(value: unknown, at: string): Hex {
  if (typeof value !== 'string' || value.length % 2 !== 0 || !/^0x[0-9a-fA-F]*$/.test(value))
    throw invalid(`${at} is not hex data`)
  return value.toLowerCase() as Hex
}

export function address(value: unknown, at: string): Hex {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{40}$/.test(value))
    throw invalid(`${at} is not an address`)
  return value.toLowerCase() as Hex
}

export function word(value: unknown, at: string): Hex {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{64}$/.test(value)) throw invalid(`${at} is not 32 bytes`)
  return value.toLowerCase() as Hex
}
