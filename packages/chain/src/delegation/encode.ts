import type { Hex } from '../bytes/hex.ts'
import { AbiFault, addressAt, bytesAt, countAt, hexAt, numberAt, uintAt } from '../router/readWords.ts'
import { addressWord, arrayTail, bytesDigits, bytesTail, size, uint } from '../router/words.ts'
import { authorityDigits } from './hash.ts'
import type { Caveat, Delegation } from './types.ts'

const HEX = /^0x(?:[0-9a-fA-F]{2})*$/

/** A permission context: `abi.encode(Delegation[])`, from leaf to root. */
export function encodeDelegations(delegations: readonly Delegation[]): Hex {
  return `0x${(size(0x20) + arrayTail(delegations.map(delegationTuple))).toLowerCase()}`
}

/** Undefined for any text the encoder would not have written. */
export function decodeDelegations(context: Hex): Delegation[] | undefined {
  if (!HEX.test(context)) return undefined
  const text = context.toLowerCase()
  try {
    const delegations = readDelegations(text.slice(2))
    return encodeDelegations(delegations) === text ? delegations : undefined
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

function readDelegations(digits: string): Delegation[] {
  const at = numberAt(digits, 0)
  const delegations: Delegation[] = []
  // Offsets may all point at one long item: what is read in sum is never more than what there is.
  let left = digits.length >> 1
  for (let i = 0, count = countAt(digits, at); i < count; i++) {
    const delegation = readDelegation(digits, at + 32 + numberAt(digits, at + 32 + 32 * i), left)
    left -= delegationTuple(delegation).length >> 1
    if (left < 0) throw new AbiFault('NOT_CANONICAL')
    delegations.push(delegation)
  }
  return delegations
}

function readDelegation(digits: string, at: number, most: number): Delegation {
  let left = most
  const caveatsAt = at + numberAt(digits, at + 0x60)
  const caveats: Caveat[] = []
  for (let i = 0, count = countAt(digits, caveatsAt); i < count; i++) {
    const one = caveatsAt + 32 + numberAt(digits, caveatsAt + 32 + 32 * i)
    const terms = hexAt(digits, one + numberAt(digits, one + 0x20))
    const args = hexAt(digits, one + numberAt(digits, one + 0x40))
    left -= (terms.length + args.length) >> 1
    if (left < 0) throw new AbiFault('NOT_CANONICAL')
    caveats.push({ enforcer: addressAt(digits, one), terms, args })
  }
  return {
    delegate: addressAt(digits, at),
    delegator: addressAt(digits, at + 0x20),
    authority: `0x${uint(uintAt(digits, at + 0x40))}`,
    caveats,
    salt: uintAt(digits, at + 0x80),
    signature: `0x${bytesAt(digits, at + numberAt(digits, at + 0xa0))}`,
  }
}
