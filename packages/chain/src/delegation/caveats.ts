import { type Address, type Hex, tryHexToBytes } from '../bytes/hex.ts'
import { addressDigits, bytesDigits, MAX_UINT48, uint, uintOfNumber } from '../bytes/words.ts'
import { enforcerAt } from './addresses.ts'
import { decodeExecution, encodeExecution } from './execution.ts'
import type { Caveat, DelegationAddresses, EnforcerName, Execution } from './types.ts'

/** Terms of a caveat, by its enforcer. */
export type CaveatTerms =
  | { enforcer: 'Redeemer'; redeemers: readonly Address[] }
  | { enforcer: 'AllowedTargets'; targets: readonly Address[] }
  | { enforcer: 'AllowedMethods'; selectors: readonly Hex[] }
  /** 0 means no bound. Valid strictly after the first and strictly before the second. */
  | { enforcer: 'Timestamp'; afterS: number; beforeS: number }
  | { enforcer: 'LimitedCalls'; limit: number }
  /** Windows of fixed length from `startS` on, each with its own amount. */
  | { enforcer: 'NativeTokenPeriodTransfer'; amountWei: bigint; periodS: number; startS: number }
  | { enforcer: 'ValueLte'; valueWei: bigint }
  | { enforcer: 'ExactExecution'; execution: Execution }
  /** Works once for each delegator, whatever the delegation. */
  | { enforcer: 'Id'; id: bigint }
  | { enforcer: 'ExactCalldata'; data: Hex }
  | { enforcer: 'NativeTokenPayment'; recipient: Address; amountWei: bigint }
  /** A payment for one redemption: the delegation it pays for, and its redeemer. */
  | { enforcer: 'ArgsEqualityCheck'; delegationHash: Hex; redeemer: Address }
  /** Valid while the delegator's nonce at the enforcer is this one. */
  | { enforcer: 'Nonce'; nonce: bigint }

/** How many digits an item of a packed list has. */
const ADDRESS_DIGITS = 40
const SELECTOR_DIGITS = 8

export function encodeCaveat(addresses: DelegationAddresses, terms: CaveatTerms): Caveat {
  return {
    enforcer: addresses.enforcers[terms.enforcer],
    terms: `0x${termsDigits(terms).toLowerCase()}`,
    args: '0x',
  }
}

/**
 * Undefined for an enforcer Pit does not use and for terms `encodeCaveat` would not write. Args are not
 * looked at.
 */
export function decodeCaveat(addresses: DelegationAddresses, caveat: Caveat): CaveatTerms | undefined {
  const name = enforcerAt(addresses, caveat.enforcer)
  if (name === undefined || !tryHexToBytes(caveat.terms)) return undefined
  try {
    const terms = readTerms(name, caveat.terms.slice(2).toLowerCase())
    return terms && encodeCaveat(addresses, terms).terms === caveat.terms.toLowerCase() ? terms : undefined
  } catch (error) {
    // A number past what its field holds.
    if (error instanceof RangeError || error instanceof SyntaxError) return undefined
    throw error
  }
}

function termsDigits(terms: CaveatTerms): string {
  switch (terms.enforcer) {
    case 'Redeemer':
      return listDigits(terms.redeemers, ADDRESS_DIGITS)
    case 'AllowedTargets':
      return listDigits(terms.targets, ADDRESS_DIGITS)
    case 'AllowedMethods':
      return listDigits(terms.selectors, SELECTOR_DIGITS)
    case 'Timestamp':
      return halfWord(terms.afterS) + halfWord(terms.beforeS)
    case 'LimitedCalls':
      return uintOfNumber(terms.limit, MAX_UINT48)
    case 'NativeTokenPeriodTransfer':
      return (
        uint(terms.amountWei) +
        uintOfNumber(terms.periodS, MAX_UINT48) +
        uintOfNumber(terms.startS, MAX_UINT48)
      )
    case 'ValueLte':
      return uint(terms.valueWei)
    case 'ExactExecution':
      return encodeExecution(terms.execution).slice(2)
    case 'Id':
      return uint(terms.id)
    case 'ExactCalldata':
      return bytesDigits(terms.data)
    case 'NativeTokenPayment':
      return addressDigits(terms.recipient) + uint(terms.amountWei)
    case 'ArgsEqualityCheck':
      return wordDigits(terms.delegationHash) + addressDigits(terms.redeemer)
    case 'Nonce':
      return uint(terms.nonce)
  }
}

function readTerms(enforcer: EnforcerName, digits: string): CaveatTerms | undefined {
  const number = (start: number, end: number): number => Number(BigInt(`0x${digits.slice(start, end)}`))
  const wei = (start: number): bigint => BigInt(`0x${digits.slice(start, start + 64)}`)
  switch (enforcer) {
    case 'Redeemer':
      return { enforcer, redeemers: listOf(digits, ADDRESS_DIGITS) }
    case 'AllowedTargets':
      return { enforcer, targets: listOf(digits, ADDRESS_DIGITS) }
    case 'AllowedMethods':
      return { enforcer, selectors: listOf(digits, SELECTOR_DIGITS) }
    case 'Timestamp':
      return { enforcer, afterS: number(0, 32), beforeS: number(32, 64) }
    case 'LimitedCalls':
      return { enforcer, limit: number(0, 64) }
    case 'NativeTokenPeriodTransfer':
      return { enforcer, amountWei: wei(0), periodS: number(64, 128), startS: number(128, 192) }
    case 'ValueLte':
      return { enforcer, valueWei: wei(0) }
    case 'ExactExecution': {
      const execution = decodeExecution(`0x${digits}`)
      return execution && { enforcer, execution }
    }
    case 'Id':
      return { enforcer, id: wei(0) }
    case 'ExactCalldata':
      return { enforcer, data: `0x${digits}` }
    case 'NativeTokenPayment':
      if (digits.length !== 104) return undefined
      return { enforcer, recipient: `0x${digits.slice(0, 40)}`, amountWei: wei(40) }
    case 'ArgsEqualityCheck':
      if (digits.length !== 104) return undefined
      return { enforcer, delegationHash: `0x${digits.slice(0, 64)}`, redeemer: `0x${digits.slice(64)}` }
    case 'Nonce':
      return { enforcer, nonce: wei(0) }
  }
}

function listDigits(items: readonly Hex[], each: number): string {
  // The enforcers refuse an empty list only when it is redeemed.
  if (items.length === 0) throw new RangeError('an empty list')
  let digits = ''
  for (const item of items) {
    const one = bytesDigits(item)
    if (one.length !== each) throw new RangeError(`${item} has not ${each} digits`)
    digits += one
  }
  return digits
}

function listOf(digits: string, each: number): Hex[] {
  const items: Hex[] = []
  for (let at = 0; at < digits.length; at += each) items.push(`0x${digits.slice(at, at + each)}`)
  return items
}

function halfWord(value: number): string {
  return uintOfNumber(value, MAX_UINT48).slice(32)
}

function wordDigits(word: Hex): string {
  const digits = bytesDigits(word)
  if (digits.length !== 64) throw new RangeError('not a word')
  return digits
}
