import type { Address, Hex } from './hex.ts'
import { MAX_UINT24, MAX_UINT48 } from './words.ts'

/** Thrown by these readers only; the entry point of a decoder converts it into a result. */
export class AbiFault extends Error {
  readonly fault: DecodeFault
  constructor(fault: DecodeFault) {
    super(fault)
    this.fault = fault
  }
}
export type DecodeFault = 'NOT_HEX' | 'SELECTOR' | 'UNKNOWN_COMMAND' | 'UNKNOWN_ACTION' | 'NOT_CANONICAL'

/**
 * ABI digits, read in the one order an encoder writes them. Readers only move forward and check every digit
 * they pass: a text that is read up to its end has no second reading.
 */
export type Cursor = { readonly digits: string; at: number }

const WORD = 64
const ZERO = 48

export function readUint(cursor: Cursor): bigint {
  const start = passWord(cursor)
  return BigInt(`0x${cursor.digits.slice(start, start + WORD)}`)
}

export function readUint128(cursor: Cursor): bigint {
  return readShortUint(cursor, 32)
}

export function readUint160(cursor: Cursor): bigint {
  return readShortUint(cursor, 40)
}

function readShortUint(cursor: Cursor, length: number): bigint {
  const start = passWord(cursor)
  checkZeros(cursor, start, start + WORD - length)
  return BigInt(`0x${cursor.digits.slice(start + WORD - length, start + WORD)}`)
}

/** A size, an offset, a count or a time. */
export function readNumber(cursor: Cursor, max = MAX_UINT48): number {
  const start = passWord(cursor)
  checkZeros(cursor, start, start + 52)
  const value = Number.parseInt(cursor.digits.slice(start + 52, start + WORD), 16)
  if (value > max) throw new AbiFault('NOT_CANONICAL')
  return value
}

export function readUint24(cursor: Cursor): number {
  return readNumber(cursor, MAX_UINT24)
}

export function readInt24(cursor: Cursor): number {
  const start = passWord(cursor)
  const value = Number.parseInt(cursor.digits.slice(start + 58, start + WORD), 16)
  const sign = value < 0x800000 ? '0' : 'f'
  for (let at = start; at < start + 58; at++)
    if (cursor.digits[at] !== sign) throw new AbiFault('NOT_CANONICAL')
  return value < 0x800000 ? value : value - 0x1000000
}

export function readBool(cursor: Cursor): boolean {
  return readNumber(cursor, 1) === 1
}

export function readAddress(cursor: Cursor): Address {
  const start = passWord(cursor)
  checkZeros(cursor, start, start + 24)
  return `0x${cursor.digits.slice(start + 24, start + WORD)}`
}

export function readWord(cursor: Cursor): Hex {
  const start = passWord(cursor)
  return `0x${cursor.digits.slice(start, start + WORD)}`
}

/** The digits of a `bytes`: its length, its content, zeros up to a whole word. */
export function readBytes(cursor: Cursor): string {
  const length = 2 * readNumber(cursor)
  const { at, digits } = cursor
  const end = at + WORD * Math.ceil(length / WORD)
  if (end > digits.length) throw new AbiFault('NOT_CANONICAL')
  checkZeros(cursor, at + length, end)
  cursor.at = end
  return digits.slice(at, at + length)
}

/** An array of items of fixed size. */
export function readList<T>(cursor: Cursor, readItem: (cursor: Cursor) => T): T[] {
  const items: T[] = []
  for (let count = readNumber(cursor); count > 0; count--) items.push(readItem(cursor))
  return items
}

/** An array of items of any size: where each starts, then the items, each right after the one before. */
export function readItems<T>(cursor: Cursor, readItem: (cursor: Cursor) => T): T[] {
  const count = readNumber(cursor)
  const start = cursor.at
  const offsets: number[] = []
  for (let i = 0; i < count; i++) offsets.push(readNumber(cursor))
  return offsets.map((offset) => {
    checkAt(cursor, start, offset)
    return readItem(cursor)
  })
}

/**
 * A word with only one right value: an offset to what comes next, or the count of a list that is always
 * empty.
 */
export function passNumber(cursor: Cursor, value: number): void {
  if (readNumber(cursor) !== value) throw new AbiFault('NOT_CANONICAL')
}

/** Requires the cursor to be `offset` bytes after `start`: no gaps, nothing read twice. */
export function checkAt(cursor: Cursor, start: number, offset: number): void {
  if (cursor.at !== start + 2 * offset) throw new AbiFault('NOT_CANONICAL')
}

export function checkEnd({ at, digits }: Cursor): void {
  if (at !== digits.length) throw new AbiFault('NOT_CANONICAL')
}

function passWord(cursor: Cursor): number {
  const start = cursor.at
  cursor.at = start + WORD
  if (cursor.at > cursor.digits.length) throw new AbiFault('NOT_CANONICAL')
  return start
}

function checkZeros({ digits }: Cursor, start: number, end: number): void {
  for (let at = start; at < end; at++) if (digits.charCodeAt(at) !== ZERO) throw new AbiFault('NOT_CANONICAL')
}
