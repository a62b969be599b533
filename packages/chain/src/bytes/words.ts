import type { Address, Hex } from './hex.ts'

/** ABI encoding by digits: a word is 64 of them, and joining texts is cheaper than copying bytes. */

const ZEROS = '0'.repeat(64)
const TWELVE_ZERO_BYTES = '0'.repeat(24)
const ADDRESS = /^0x[0-9a-fA-F]{40}$/
const BYTES = /^0x(?:[0-9a-fA-F]{2})*$/

export const MAX_UINT24 = 0xffffff
export const MAX_UINT48 = 2 ** 48 - 1
export const MAX_UINT128 = (1n << 128n) - 1n
export const MAX_UINT160 = (1n << 160n) - 1n
const MAX_UINT256 = (1n << 256n) - 1n

export function uint(value: bigint, max: bigint = MAX_UINT256): string {
  if (value < 0n || value > max) throw new RangeError(`${value} is outside 0 to ${max}`)
  const digits = value.toString(16)
  return ZEROS.slice(digits.length) + digits
}

/** A count, an offset, a fee: anything kept as a number. */
export function uintOfNumber(value: number, max: number): string {
  if (!Number.isInteger(value) || value < 0 || value > max)
    throw new RangeError(`${value} is outside 0 to ${max}`)
  const digits = value.toString(16)
  return ZEROS.slice(digits.length) + digits
}

export function size(value: number): string {
  const digits = value.toString(16)
  return ZEROS.slice(digits.length) + digits
}

export function int24(value: number): string {
  if (!Number.isInteger(value) || value < -8388608 || value > 8388607)
    throw new RangeError(`${value} is not an int24`)
  if (value >= 0) return size(value)
  return `${'f'.repeat(56)}${(value + 2 ** 32).toString(16)}`
}

export function bool(value: boolean): string {
  return value ? `${ZEROS.slice(1)}1` : ZEROS
}

export function addressWord(value: Address): string {
  return TWELVE_ZERO_BYTES + addressDigits(value)
}

export function addressDigits(value: Address): string {
  if (!ADDRESS.test(value)) throw new TypeError(`${value} is not an address`)
  return value.slice(2)
}

export function bytesDigits(value: Hex): string {
  if (!BYTES.test(value)) throw new TypeError('not whole bytes of hex')
  return value.slice(2)
}

/** Length, then the digits padded to whole words. */
export function bytesTail(digits: string): string {
  const over = digits.length & 63
  return size(digits.length >> 1) + (over === 0 ? digits : digits + ZEROS.slice(over))
}

/** Tail of an array of dynamic items: their count, where each starts, then the items. */
export function arrayTail(items: readonly string[]): string {
  let offset = 32 * items.length
  let heads = size(items.length)
  let tails = ''
  for (const item of items) {
    heads += size(offset)
    offset += item.length >> 1
    tails += item
  }
  return heads + tails
}
