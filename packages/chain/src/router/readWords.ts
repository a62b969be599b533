import type { Address, Hex } from '../bytes/hex.ts'

/** Thrown inside the decoder only; decodeExecute turns it into an answer. */
export class AbiFault extends Error {
  readonly fault: DecodeFault
  constructor(fault: DecodeFault) {
    super(fault)
    this.fault = fault
  }
}
export type DecodeFault = 'NOT_HEX' | 'SELECTOR' | 'UNKNOWN_COMMAND' | 'UNKNOWN_ACTION' | 'NOT_CANONICAL'

/**
 * Readers take digits and a word's place counted in bytes. They check what they need to go on; that nothing else was
 * said beside is proved at the end, by encoding anew what was read.
 */
function wordAt(digits: string, at: number): string {
  const start = 2 * at
  if (start + 64 > digits.length) throw new AbiFault('NOT_CANONICAL')
  return digits.slice(start, start + 64)
}

export function uintAt(digits: string, at: number): bigint {
  return BigInt(`0x${wordAt(digits, at)}`)
}

/** A size, an offset, a count, a fee or a time: at most 48 bits. */
export function numberAt(digits: string, at: number): number {
  const value = Number(uintAt(digits, at))
  if (value >= 2 ** 48) throw new AbiFault('NOT_CANONICAL')
  return value
}

export function int24At(digits: string, at: number): number {
  const value = Number.parseInt(wordAt(digits, at).slice(58), 16)
  return value >= 0x800000 ? value - 0x1000000 : value
}

export function boolAt(digits: string, at: number): boolean {
  return wordAt(digits, at).endsWith('1')
}

export function addressAt(digits: string, at: number): Address {
  return `0x${wordAt(digits, at).slice(24)}`
}

/** Digits of the `bytes` whose length word stands at `at`. */
export function bytesAt(digits: string, at: number): string {
  const length = numberAt(digits, at)
  const start = 2 * (at + 32)
  if (start + 2 * length > digits.length) throw new AbiFault('NOT_CANONICAL')
  return digits.slice(start, start + 2 * length)
}

export function hexAt(digits: string, at: number): Hex {
  return `0x${bytesAt(digits, at)}`
}

/** How many items the array at `at` has; never more than there are words. */
export function countAt(digits: string, at: number): number {
  const count = numberAt(digits, at)
  if (2 * (at + 32 + 32 * count) > digits.length) throw new AbiFault('NOT_CANONICAL')
  return count
}

/** The items of the `bytes[]` at `at`. Together they are no longer than the text: items that share bytes are refused. */
export function bytesArrayAt(digits: string, at: number): string[] {
  const items: string[] = []
  let total = 0
  for (let i = 0, count = countAt(digits, at); i < count; i++) {
    const item = bytesAt(digits, at + 32 + numberAt(digits, at + 32 + 32 * i))
    total += item.length
    if (total > digits.length) throw new AbiFault('NOT_CANONICAL')
    items.push(item)
  }
  return items
}
