import {
  AbiFault,
  type Cursor,
  checkAt,
  checkEnd,
  passNumber,
  readAddress,
  readBool,
  readBytes,
  readInt24,
  readItems,
  readNumber,
  readUint,
  readUint24,
  readUint128,
} from '../bytes/readWords.ts'
import { ACTION_BYTE } from './constants.ts'
import type { PathKey, PoolKey, RouterLayout, V4Action } from './types.ts'

const NAME_OF_BYTE = new Map(
  Object.entries(ACTION_BYTE).map(([name, byte]) => [byte as string, name as V4Action['action']]),
)

/** The v4 action a byte stands for, and all of its parameters. */
export function decodeAction(byte: string, digits: string, layout: RouterLayout): V4Action {
  const cursor: Cursor = { digits, at: 0 }
  const action = readAction(byte, cursor, layout)
  checkEnd(cursor)
  return action
}

// Fields are read in the order they are written here, which is the order of their words.
function readAction(byte: string, cursor: Cursor, layout: RouterLayout): V4Action {
  const action = NAME_OF_BYTE.get(byte)
  switch (action) {
    case undefined:
      throw new AbiFault('UNKNOWN_ACTION')
    case 'SWAP_EXACT_IN_SINGLE':
      return readSingle(cursor, layout)
    case 'SWAP_EXACT_IN':
      return readMulti(cursor)
    case 'SETTLE':
      return {
        action,
        currency: readAddress(cursor),
        amount: readUint(cursor),
        payerIsUser: readBool(cursor),
      }
    case 'SETTLE_ALL':
      return { action, currency: readAddress(cursor), amountMax: readUint(cursor) }
    case 'TAKE':
      return {
        action,
        currency: readAddress(cursor),
        recipient: readAddress(cursor),
        amount: readUint(cursor),
      }
    case 'TAKE_ALL':
      return { action, currency: readAddress(cursor), amountMin: readUint(cursor) }
    case 'TAKE_PORTION':
      return {
        action,
        currency: readAddress(cursor),
        recipient: readAddress(cursor),
        bips: readUint(cursor),
      }
  }
}

function readSingle(cursor: Cursor, layout: RouterLayout): V4Action {
  passNumber(cursor, 0x20)
  const poolKey = readPoolKey(cursor)
  const zeroForOne = readBool(cursor)
  const amountIn = readUint128(cursor)
  const amountOutMin = readUint128(cursor)
  // 2.1.1 reads a price floor here; 0 is none.
  if (layout !== '2.1.0') passNumber(cursor, 0)
  passNumber(cursor, layout !== '2.1.0' ? 0x140 : 0x120)
  const hookData = `0x${readBytes(cursor)}` as const
  return { action: 'SWAP_EXACT_IN_SINGLE', poolKey, zeroForOne, amountIn, amountOutMin, hookData }
}

function readMulti(cursor: Cursor): V4Action {
  passNumber(cursor, 0x20)
  const start = cursor.at
  const currencyIn = readAddress(cursor)
  passNumber(cursor, 0xa0)
  const floorsAt = readNumber(cursor)
  const amountIn = readUint128(cursor)
  const amountOutMin = readUint128(cursor)
  const path = readItems(cursor, readPathKey)
  if (path.length === 0) throw new AbiFault('NOT_CANONICAL')
  // The floors per hop, always an empty list in both layouts.
  checkAt(cursor, start, floorsAt)
  passNumber(cursor, 0)
  return { action: 'SWAP_EXACT_IN', currencyIn, path, amountIn, amountOutMin }
}

function readPoolKey(cursor: Cursor): PoolKey {
  return {
    currency0: readAddress(cursor),
    currency1: readAddress(cursor),
    fee: readUint24(cursor),
    tickSpacing: readInt24(cursor),
    hooks: readAddress(cursor),
  }
}

function readPathKey(cursor: Cursor): PathKey {
  const intermediateCurrency = readAddress(cursor)
  const fee = readUint24(cursor)
  const tickSpacing = readInt24(cursor)
  const hooks = readAddress(cursor)
  passNumber(cursor, 0xa0)
  return { intermediateCurrency, fee, tickSpacing, hooks, hookData: `0x${readBytes(cursor)}` }
}
