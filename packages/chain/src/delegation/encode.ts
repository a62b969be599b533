import type { Hex } from '../bytes/hex.ts'
import {
  AbiFault,
  type Cursor,
  checkAt,
  checkEnd,
  passNumber,
  readAddress,
  readBytes,
  readItems,
  readNumber,
  readUint,
  readWord,
} from '../bytes/readWords.ts'
import { addressWord, arrayTail, bytesDigits, bytesTail, size, uint } from '../bytes/words.ts'
import { authorityDigits } from './hash.ts'
import type { Caveat, Delegation } from './types.ts'

const HEX = /^0x(?:[0-9a-fA-F]{2})*$/

/** A permission context: `abi.encode(Delegation[])`, from leaf to root. */
export function encodeDelegations(delegations: readonly Delegation[]): Hex {
  return `0x${(size(0x20) + arrayTail(delegations.map(delegationTuple))).toLowerCase()}`
}

/** Undefined for anything but its canonical encoding. */
export function decodeDelegations(context: Hex): Delegation[] | undefined {
  if (!HEX.test(context)) return undefined
  const cursor: Cursor = { digits: context.toLowerCase(), at: 2 }
  try {
    passNumber(cursor, 0x20)
    const delegations = readItems(cursor, readDelegation)
    checkEnd(cursor)
    return delegations
  } catch (error) {
    if (error instanceof AbiFault) return undefined
    throw error
  }
}

export function delegationTuple(delegation: Delegation): string {
  const caveats = arrayTail(delegation.caveats.map(caveatTuple))
  return (
    addressWord(delegation.delegate) +
    addressWord(delegation.delegator) +
    authorityDigits(delegation.authority) +
    size(0xc0) +
    uint(delegation.salt) +
    size(0xc0 + (caveats.length >> 1)) +
    caveats +
    bytesTail(bytesDigits(delegation.signature))
  )
}

function caveatTuple({ enforcer, terms, args }: Caveat): string {
  const first = bytesTail(bytesDigits(terms))
  return (
    addressWord(enforcer) +
    size(0x60) +
    size(0x60 + (first.length >> 1)) +
    first +
    bytesTail(bytesDigits(args))
  )
}

function readDelegation(cursor: Cursor): Delegation {
  const start = cursor.at
  const delegate = readAddress(cursor)
  const delegator = readAddress(cursor)
  const authority = readWord(cursor)
  passNumber(cursor, 0xc0)
  const salt = readUint(cursor)
  const signatureAt = readNumber(cursor)
  const caveats = readItems(cursor, readCaveat)
  checkAt(cursor, start, signatureAt)
  return { delegate, delegator, authority, caveats, salt, signature: `0x${readBytes(cursor)}` }
}

function readCaveat(cursor: Cursor): Caveat {
  const start = cursor.at
  const enforcer = readAddress(cursor)
  passNumber(cursor, 0x60)
  const argsAt = readNumber(cursor)
  const terms = `0x${readBytes(cursor)}` as const
  checkAt(cursor, start, argsAt)
  return { enforcer, terms, args: `0x${readBytes(cursor)}` }
}
