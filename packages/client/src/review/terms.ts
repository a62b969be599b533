import type { Address } from '@pit/chain'
import { groupedText } from '@pit/protocol'
import type { CodeAuthorization, TypedData } from '../account.ts'
import type { Pins } from '../pins.ts'
import type { UnsignedStep } from '../verify/facts.ts'

/**
 * A transaction as a wallet receives it. All numbers are decimal or 0x text.
 * @public
 */
export interface WalletTransaction {
  to: string
  value: string
  data: string
  gas: string
  nonce: string
  maxFeePerGas: string
  maxPriorityFeePerGas: string
}
/**
 * A request to sign, as a wallet receives it.
 * @public
 */
export type SigningRequest =
  | { kind: 'message'; payload: string }
  | { kind: 'typedData'; payload: TypedData }
  | { kind: 'transaction'; payload: WalletTransaction }
  | { kind: 'authorization'; payload: CodeAuthorization }

/**
 * A request in words, read from the bytes that are signed.
 * @public
 */
export interface SigningReview {
  title: string
  lines: readonly string[]
  warnings: readonly string[]
  /** It only takes access back or pays the return address. */
  isReturn: boolean
}
/** The reviewed content itself: a rebuild, so that nothing unread is signed. */
export type Reviewed = SigningReview &
  (
    | { kind: 'message'; text: string }
    | { kind: 'typedData'; data: TypedData }
    | { kind: 'transaction'; transaction: ReviewedTransaction }
    | { kind: 'authorization'; authorization: CodeAuthorization }
  )
export interface ReviewedTransaction extends UnsignedStep {
  type: 'eip1559'
  chainId: number
  gas: bigint
  nonce: number
  maxFeePerGas: bigint
  maxPriorityFeePerGas: bigint
}

/**
 * The pins and names that a review compares a request with.
 * @public
 */
export interface ReviewContext {
  pins: Pins
  wallet: Address
  /** The only address, apart from fees of trades, that the wallet pays. */
  returnAddress: Address
  /** Host of the page that asks, as in its address bar. */
  host: string
}

/**
 * The wallet's own refusal, with a code of EIP-1193: 4100, not authorized.
 * @public
 */
export class SigningRefused extends Error {
  readonly code = 4100
  constructor(why: string) {
    super(`Not signed: ${why}.`)
    this.name = 'SigningRefused'
  }
}
export function deny(why: string): never {
  throw new SigningRefused(why)
}

export function amountText(pins: Pins, token: Address, atoms: bigint): string {
  const info = pins.tokens.get(token)
  if (!info) return `${atoms} atoms of ${token}`
  if (atoms >= 2n ** 159n) return `all your ${info.symbol}`
  return `${groupedText(atoms, info.decimals)} ${info.symbol}`
}

export const timeText = (unixS: number): string =>
  unixS > 253_402_300_799
    ? 'no end'
    : `${new Date(unixS * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`
