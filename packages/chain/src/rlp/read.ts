import type { Address, Hex } from '../bytes/hex.ts'
import { isLowS, isScalar } from '../crypto/signature.ts'
import type { TxFault } from './types.ts'

/** Thrown inside the reader only; parseSignedTx turns it into an answer. */
export class RlpFault extends Error {
  readonly fault: TxFault
  constructor(fault: TxFault) {
    super(fault)
    this.fault = fault
  }
}

/**
 * A place in an RLP encoding. `hex` is the same bytes as digits, so that long values are cut out of it
 * instead of being written anew; after `readString`, the item is bytes[start, at).
 */
export type Cursor = { bytes: Uint8Array; hex: string; at: number; start: number }

/** Steps over one string item and refuses every encoding but the shortest. */
export function readString(c: Cursor, end: number): number {
  if (c.at >= end) throw new RlpFault('WRONG_FIELDS')
  const head = c.bytes[c.at] as number
  if (head < 0x80) {
    c.start = c.at
    c.at += 1
    return 1
  }
  if (head >= 0xc0) throw new RlpFault('WRONG_FIELDS')
  let size = head - 0x80
  let start = c.at + 1
  if (size > 55) {
    size = readLongSize(c, head - 0xb7, end)
    start = c.at + 1 + (head - 0xb7)
  } else if (size === 1 && (c.bytes[start] as number) < 0x80) {
    throw new RlpFault('NOT_CANONICAL')
  }
  if (start + size > end) throw new RlpFault('NOT_CANONICAL')
  c.start = start
  c.at = start + size
  return size
}

/** Enters a list: answers where it ends and leaves the cursor at its first item. */
export function enterList(c: Cursor, end: number): number {
  if (c.at >= end) throw new RlpFault('WRONG_FIELDS')
  const head = c.bytes[c.at] as number
  if (head < 0xc0) throw new RlpFault('WRONG_FIELDS')
  let size = head - 0xc0
  let start = c.at + 1
  if (size > 55) {
    size = readLongSize(c, head - 0xf7, end)
    start = c.at + 1 + (head - 0xf7)
  }
  if (start + size > end) throw new RlpFault('NOT_CANONICAL')
  c.at = start
  return start + size
}

function readLongSize(c: Cursor, sizeBytes: number, end: number): number {
  // Four bytes of length are far past any transaction; more would not fit a number either.
  if (sizeBytes > 4 || c.at + 1 + sizeBytes > end) throw new RlpFault('NOT_CANONICAL')
  let size = 0
  for (let i = 1; i <= sizeBytes; i++) size = size * 256 + (c.bytes[c.at + i] as number)
  if (c.bytes[c.at + 1] === 0 || size <= 55) throw new RlpFault('NOT_CANONICAL')
  return size
}

function readInteger(c: Cursor, end: number, maxBytes: number): number {
  const size = readString(c, end)
  if (size > maxBytes) throw new RlpFault('BAD_NUMBER')
  if (size > 0 && c.bytes[c.start] === 0) throw new RlpFault('NOT_CANONICAL')
  return size
}

export function readUint256(c: Cursor, end: number): bigint {
  readInteger(c, end, 32)
  return integerRead(c)
}

export function readUint64(c: Cursor, end: number): bigint {
  readInteger(c, end, 8)
  return integerRead(c)
}

function integerRead(c: Cursor): bigint {
  // Six bytes fit a number exactly, and most values are shorter than that.
  if (c.at - c.start > 6) return BigInt(`0x${c.hex.slice(2 + 2 * c.start, 2 + 2 * c.at)}`)
  return BigInt(smallInteger(c))
}

function smallInteger(c: Cursor): number {
  let value = 0
  for (let i = c.start; i < c.at; i++) value = value * 256 + (c.bytes[i] as number)
  return value
}

/** A nonce or chain id: both are kept as numbers, and nothing real is past what a number holds. */
export function readSafeInteger(c: Cursor, end: number): number {
  const size = readInteger(c, end, 8)
  const value = smallInteger(c)
  if (size > 6 && !Number.isSafeInteger(value)) throw new RlpFault('BAD_NUMBER')
  return value
}

export function readParity(c: Cursor, end: number): 0 | 1 {
  const size = readInteger(c, end, 1)
  if (size === 0) return 0
  if (c.bytes[c.start] !== 1) throw new RlpFault('BAD_SIGNATURE')
  return 1
}

/** r and s, as 64 bytes and as words: each between 1 and the order, s in its lower half. */
export function readScalars(c: Cursor, end: number): { rs: Uint8Array; r: Hex; s: Hex } {
  const rs = new Uint8Array(64)
  const r = readScalar(c, end, rs, 32)
  const s = readScalar(c, end, rs, 64)
  if (!isScalar(rs, 0) || !isScalar(rs, 32)) throw new RlpFault('BAD_SIGNATURE')
  if (!isLowS(rs)) throw new RlpFault('HIGH_S')
  return { rs, r, s }
}

function readScalar(c: Cursor, end: number, rs: Uint8Array, limit: number): Hex {
  const size = readInteger(c, end, 32)
  for (let i = 0; i < size; i++) rs[limit - size + i] = c.bytes[c.start + i] as number
  const digits = c.hex.slice(2 + 2 * c.start, 2 + 2 * c.at)
  return size === 32 ? `0x${digits}` : `0x${digits.padStart(64, '0')}`
}

export function readData(c: Cursor, end: number): Hex {
  readString(c, end)
  return `0x${c.hex.slice(2 + 2 * c.start, 2 + 2 * c.at)}`
}

export function readAddress(c: Cursor, end: number): Address {
  if (readString(c, end) !== 20) throw new RlpFault('BAD_ADDRESS')
  return `0x${c.hex.slice(2 + 2 * c.start, 2 + 2 * c.at)}`
}

export function readAddressOrNone(c: Cursor, end: number): Address | null {
  const size = readString(c, end)
  if (size === 0) return null
  if (size !== 20) throw new RlpFault('BAD_ADDRESS')
  return `0x${c.hex.slice(2 + 2 * c.start, 2 + 2 * c.at)}`
}
