import type { Address } from '../bytes/hex.ts'
import {
  AbiFault,
  type Cursor,
  checkAt,
  checkEnd,
  passNumber,
  readAddress,
  readBool,
  readBytes,
  readItems,
  readList,
  readNumber,
  readUint,
  readUint160,
} from '../bytes/readWords.ts'
import { COMMAND_BYTE } from './constants.ts'
import { decodeAction } from './decodeAction.ts'
import type { PermitSingle, RouterCommand, RouterLayout, V3Path, V4Action } from './types.ts'

const NAME_OF_BYTE = new Map(
  Object.entries(COMMAND_BYTE).map(([name, byte]) => [byte as string, name as RouterCommand['command']]),
)

/** The command a byte stands for, and its whole input. */
export function decodeCommand(byte: string, digits: string, layout: RouterLayout): RouterCommand {
  const cursor: Cursor = { digits, at: 0 }
  const command = readCommand(byte, cursor, layout)
  checkEnd(cursor)
  return command
}

// Fields are read in the order they are written here, which is the order of their words.
function readCommand(byte: string, cursor: Cursor, layout: RouterLayout): RouterCommand {
  const command = NAME_OF_BYTE.get(byte)
  switch (command) {
    case undefined:
      throw new AbiFault('UNKNOWN_COMMAND')
    case 'V3_SWAP_EXACT_IN':
      return { command, ...readSwap(cursor, layout, readV3Path) }
    case 'V2_SWAP_EXACT_IN':
      return { command, ...readSwap(cursor, layout, readV2Path) }
    case 'V4_SWAP':
      return { command, actions: readActions(cursor, layout) }
    case 'PERMIT2_PERMIT': {
      const permit = readPermit(cursor)
      passNumber(cursor, 0xe0)
      return { command, permit, signature: `0x${readBytes(cursor)}` }
    }
    case 'PERMIT2_TRANSFER_FROM':
      return { command, ...readTo(cursor), amount: readUint160(cursor) }
    case 'SWEEP':
      // The router keeps only 160 bits of this minimum: more would silently be less.
      return { command, ...readTo(cursor), amountMin: readUint160(cursor) }
    case 'TRANSFER':
      return { command, ...readTo(cursor), amount: readUint(cursor) }
    case 'PAY_PORTION':
      return { command, ...readTo(cursor), bips: readUint(cursor) }
    case 'WRAP_ETH':
      return { command, recipient: readAddress(cursor), amount: readUint(cursor) }
    case 'UNWRAP_WETH':
      return { command, recipient: readAddress(cursor), amountMin: readUint(cursor) }
  }
}

function readTo(cursor: Cursor) {
  return { token: readAddress(cursor), recipient: readAddress(cursor) }
}

/** v2 and v3 swaps differ in their path only. 2.1.1 adds a list of price floors, always empty here. */
function readSwap<Path>(cursor: Cursor, layout: RouterLayout, readPath: (cursor: Cursor) => Path) {
  const hasFloors = layout !== '2.1.0'
  const recipient = readAddress(cursor)
  const amountIn = readUint(cursor)
  const amountOutMin = readUint(cursor)
  passNumber(cursor, hasFloors ? 0xc0 : 0xa0)
  const payerIsUser = readBool(cursor)
  const floorsAt = hasFloors ? readNumber(cursor) : 0
  const path = readPath(cursor)
  if (hasFloors) {
    checkAt(cursor, 0, floorsAt)
    passNumber(cursor, 0)
  }
  return { recipient, amountIn, amountOutMin, path, payerIsUser }
}

/** Packed: token, fee, token, fee, token. */
function readV3Path(cursor: Cursor): V3Path {
  const digits = readBytes(cursor)
  if (digits.length < 86 || (digits.length - 40) % 46 !== 0) throw new AbiFault('NOT_CANONICAL')
  const tokens: Address[] = [`0x${digits.slice(0, 40)}`]
  const fees: number[] = []
  for (let at = 40; at < digits.length; at += 46) {
    fees.push(Number.parseInt(digits.slice(at, at + 6), 16))
    tokens.push(`0x${digits.slice(at + 6, at + 46)}`)
  }
  return { tokens, fees }
}

function readV2Path(cursor: Cursor): Address[] {
  const path = readList(cursor, readAddress)
  if (path.length < 2) throw new AbiFault('NOT_CANONICAL')
  return path
}

function readPermit(cursor: Cursor): PermitSingle {
  return {
    details: {
      token: readAddress(cursor),
      amount: readUint160(cursor),
      expiration: readNumber(cursor),
      nonce: readNumber(cursor),
    },
    spender: readAddress(cursor),
    sigDeadline: readUint(cursor),
  }
}

function readActions(cursor: Cursor, layout: RouterLayout): V4Action[] {
  passNumber(cursor, 0x40)
  const paramsAt = readNumber(cursor)
  const bytes = readBytes(cursor)
  checkAt(cursor, 0, paramsAt)
  const params = readItems(cursor, readBytes)
  if (params.length * 2 !== bytes.length) throw new AbiFault('NOT_CANONICAL')
  return params.map((digits, i) => decodeAction(bytes.slice(2 * i, 2 * i + 2), digits, layout))
}
