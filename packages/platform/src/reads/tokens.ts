import type { Address, Hex } from '@pit/chain'
import type { ContractCall } from './accounts.ts'
import { addressWord, wordIn } from './hex.ts'

/** Calls that read a token and its issuer's registry, for a batch, a multicall or a simulation. */

const BALANCE_OF = '70a08231'
const ALLOWANCE = 'dd62ed3e'
const PERMIT2_ALLOWANCE = '927da105'
const PAUSED = '5c975abb'

export const encodeCall = (selector: string, ...addresses: Address[]): Hex =>
  `0x${selector}${addresses.map(addressWord).join('')}`

export const balanceOfCall = (token: Address, owner: Address): ContractCall => ({
  to: token,
  data: encodeCall(BALANCE_OF, owner),
})

export const allowanceCall = (token: Address, owner: Address, spender: Address): ContractCall => ({
  to: token,
  data: encodeCall(ALLOWANCE, owner, spender),
})

/** A spender's Permit2 allowance of a token. */
export const permitCall = (
  permit2: Address,
  { owner, token, spender }: { owner: Address; token: Address; spender: Address },
): ContractCall => ({ to: permit2, data: encodeCall(PERMIT2_ALLOWANCE, owner, token, spender) })

export interface Permit {
  amount: bigint
  expirationS: number
  nonce: number
}

/** Result of `permitCall`; null if unreadable. */
export function permitIn(answer: Hex | null | undefined): Permit | null {
  const [amount, expiration, nonce] = [0, 1, 2].map((index) => wordIn(answer, index))
  if (amount == null || expiration == null || nonce == null) return null
  return { amount, expirationS: Number(expiration), nonce: Number(nonce) }
}

export const pausedCall = (token: Address): ContractCall => ({ to: token, data: encodeCall(PAUSED) })
