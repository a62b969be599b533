import type { Address, Hex } from '../bytes/hex.ts'
import { addressWord } from '../bytes/words.ts'
import type { DelegationAddresses } from './types.ts'

/** `currentNonce(address delegationManager, address delegator)` of the NonceEnforcer. */
const CURRENT_NONCE_SELECTOR = '2bd4ed21'
/** `incrementNonce(address delegationManager)`, called by the delegator itself. */
const INCREMENT_NONCE_SELECTOR = 'f5743c4c'

type Call = { to: Address; data: Hex }

/** Reads the wallet's nonce, which every root of a session with controls repeats. */
export function readNonceCall({ manager, enforcers }: DelegationAddresses, wallet: Address): Call {
  return {
    to: enforcers.Nonce,
    data: `0x${CURRENT_NONCE_SELECTOR}${addressWord(manager)}${addressWord(wallet)}`,
  }
}

/** Ends every session with controls of the wallet that sends it. */
export function endAllCall({ manager, enforcers }: DelegationAddresses): Call {
  return { to: enforcers.Nonce, data: `0x${INCREMENT_NONCE_SELECTOR}${addressWord(manager)}` }
}
