import { type Hex, tryHexToBytes } from '../bytes/hex.ts'
import {
  type Cursor,
  enterList,
  RlpFault,
  readAddress,
  readAddressOrNone,
  readData,
  readParity,
  readSafeInteger,
  readScalars,
  readString,
  readUint64,
  readUint256,
} from './read.ts'
import type { AccessList, SignedAuthorization, SignedTx, TxFault } from './types.ts'

/** Nodes accept no longer transaction. */
const MAX_TX_BYTES = 131_072

export type ParsedTx = { ok: true; tx: SignedTx } | { ok: false; why: TxFault }

/**
 * Reads a signed transaction of type 0, 1, 2 or 4 from its only encoding: shortest lengths, no leading zeros,
 * nothing after the end, low s. So one transaction has one text, and comparing bytes compares meanings.
 */
export function parseSignedTx(raw: string): ParsedTx {
  if (raw.length > 2 + 2 * MAX_TX_BYTES) return { ok: false, why: 'TOO_LONG' }
  const bytes = tryHexToBytes(raw)
  if (!bytes) return { ok: false, why: 'NOT_HEX' }
  const cursor: Cursor = { bytes, hex: raw.toLowerCase(), at: 0, start: 0 }
  try {
    return { ok: true, tx: readTx(cursor) }
  } catch (error) {
    if (error instanceof RlpFault) return { ok: false, why: error.fault }
    throw error
  }
}

function readTx(c: Cursor): SignedTx {
  const first = c.bytes[0]
  if (first === undefined) throw new RlpFault('UNKNOWN_TYPE')
  if (first >= 0xc0) return readLegacy(c)
  c.at = 1
  if (first === 2 || first === 4) return readFeeMarket(c, first)
  if (first === 1) return readAccessListTx(c)
  throw new RlpFault('UNKNOWN_TYPE')
}

function enterWhole(c: Cursor): number {
  const end = enterList(c, c.bytes.length)
  if (end !== c.bytes.length) throw new RlpFault('TRAILING_BYTES')
  return end
}

function readFeeMarket(c: Cursor, type: 2 | 4): SignedTx {
  const end = enterWhole(c)
  const fieldsStart = c.at
  const chainId = readSafeInteger(c, end)
  const nonce = readSafeInteger(c, end)
  const maxPriorityFeePerGas = readUint256(c, end)
  const maxFeePerGas = readUint256(c, end)
  const gas = readUint64(c, end)
  const to = type === 4 ? readAddress(c, end) : readAddressOrNone(c, end)
  const value = readUint256(c, end)
  const data = readData(c, end)
  const accessList = readAccessList(c, end)
  const authorizationList = type === 4 ? readAuthorizations(c, end) : undefined
  const fieldsEnd = c.at
  const yParity = readParity(c, end)
  const { rs, r, s } = readScalars(c, end)
  leave(c, end)
  const source = { bytes: c.bytes, fieldsStart, fieldsEnd, rs }
  // Every field by name: spreading objects costs as much as reading them.
  if (authorizationList && to) {
    return {
      type: 4,
      chainId,
      nonce,
      maxPriorityFeePerGas,
      maxFeePerGas,
      gas,
      to,
      value,
      data,
      accessList,
      authorizationList,
      r,
      s,
      yParity,
      source,
    }
  }
  return {
    type: 2,
    chainId,
    nonce,
    maxPriorityFeePerGas,
    maxFeePerGas,
    gas,
    to,
    value,
    data,
    accessList,
    r,
    s,
    yParity,
    source,
  }
}

function readAccessListTx(c: Cursor): SignedTx {
  const end = enterWhole(c)
  const fieldsStart = c.at
  const chainId = readSafeInteger(c, end)
  const nonce = readSafeInteger(c, end)
  const gasPrice = readUint256(c, end)
  const gas = readUint64(c, end)
  const to = readAddressOrNone(c, end)
  const value = readUint256(c, end)
  const data = readData(c, end)
  const accessList = readAccessList(c, end)
  const fieldsEnd = c.at
  const yParity = readParity(c, end)
  const { rs, r, s } = readScalars(c, end)
  leave(c, end)
  const source = { bytes: c.bytes, fieldsStart, fieldsEnd, rs }
  return { type: 1, chainId, nonce, gasPrice, gas, to, value, data, accessList, r, s, yParity, source }
}

function readLegacy(c: Cursor): SignedTx {
  const end = enterWhole(c)
  const fieldsStart = c.at
  const nonce = readSafeInteger(c, end)
  const gasPrice = readUint256(c, end)
  const gas = readUint64(c, end)
  const to = readAddressOrNone(c, end)
  const value = readUint256(c, end)
  const data = readData(c, end)
  const fieldsEnd = c.at
  const v = readSafeInteger(c, end)
  // 35 and 36 would be chain id 0, which no chain has.
  if (v !== 27 && v !== 28 && v < 37) throw new RlpFault('BAD_SIGNATURE')
  const chainId = v < 37 ? undefined : Math.floor((v - 35) / 2)
  const { rs, r, s } = readScalars(c, end)
  leave(c, end)
  const yParity = v % 2 === 1 ? 0 : 1
  const source = { bytes: c.bytes, fieldsStart, fieldsEnd, rs }
  return { type: 0, chainId, nonce, gasPrice, gas, to, value, data, r, s, yParity, source }
}

function leave(c: Cursor, end: number): void {
  if (c.at !== end) throw new RlpFault('WRONG_FIELDS')
}

const NO_ACCESS_LIST: AccessList = Object.freeze([])

function readAccessList(c: Cursor, end: number): AccessList {
  const listEnd = enterList(c, end)
  if (c.at === listEnd) return NO_ACCESS_LIST
  const list: { address: `0x${string}`; storageKeys: Hex[] }[] = []
  while (c.at < listEnd) {
    const entryEnd = enterList(c, listEnd)
    const address = readAddress(c, entryEnd)
    const keysEnd = enterList(c, entryEnd)
    const storageKeys: Hex[] = []
    while (c.at < keysEnd) {
      if (readString(c, keysEnd) !== 32) throw new RlpFault('BAD_ACCESS_LIST')
      storageKeys.push(`0x${c.hex.slice(2 + 2 * c.start, 2 + 2 * c.at)}`)
    }
    leave(c, entryEnd)
    list.push({ address, storageKeys })
  }
  return list
}

function readAuthorizations(c: Cursor, end: number): SignedAuthorization[] {
  const listEnd = enterList(c, end)
  if (c.at === listEnd) throw new RlpFault('BAD_AUTHORIZATION')
  const list: SignedAuthorization[] = []
  while (c.at < listEnd) {
    const entryEnd = enterList(c, listEnd)
    const chainId = readSafeInteger(c, entryEnd)
    const address = readAddress(c, entryEnd)
    const nonce = readSafeInteger(c, entryEnd)
    const yParity = readParity(c, entryEnd)
    const { r, s } = readScalars(c, entryEnd)
    leave(c, entryEnd)
    list.push({ chainId, address, nonce, r, s, yParity })
  }
  return list
}
