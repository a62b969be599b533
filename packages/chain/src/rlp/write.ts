import type { Address, Hex } from '../bytes/hex.ts'

/** RLP by digits: joining texts is cheap and the length of a text is the length of its bytes twice. */

export function item(digits: string): string {
  if (digits.length & 1) throw new TypeError('half a byte')
  const size = digits.length >> 1
  if (size === 1 && digits < '80') return digits
  return header(size, 0x80) + digits
}

export function list(body: string): string {
  return header(body.length >> 1, 0xc0) + body
}

export function integer(value: bigint | number): string {
  if (value < 0) throw new RangeError('RLP has no negative numbers')
  if (value === 0n || value === 0) return '80'
  const digits = value.toString(16)
  return item(digits.length & 1 ? `0${digits}` : digits)
}

/** A 32-byte word as an integer: its leading zeros dropped. */
export function integerOfWord(word: Hex): string {
  if (word.length !== 66) throw new TypeError('not a word')
  let at = 2
  while (word.startsWith('00', at)) at += 2
  return item(word.slice(at))
}

export function address(value: Address | null): string {
  if (value === null) return '80'
  if (value.length !== 42) throw new TypeError('not an address')
  return `94${value.slice(2)}`
}

export function listHeader(size: number): string {
  return header(size, 0xc0)
}

function header(size: number, base: number): string {
  if (size <= 55) return (base + size).toString(16)
  const digits = size.toString(16)
  const even = digits.length & 1 ? `0${digits}` : digits
  return (base + 55 + (even.length >> 1)).toString(16) + even
}
