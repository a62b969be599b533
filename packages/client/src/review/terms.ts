import type { Address } from '@pit/chain'
import type { CodeAuthorization, TypedData } from '../account.ts'
import type { ListedCurve } from '../own/curves.ts'
import type { Pins } from '../pins.ts'
import type { UnsignedStep } from '../verify/facts.ts'
import type { Effect } from './effects.ts'

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
 * The effects of a signature, read from the bytes that are signed.
 * @public
 */
export interface SigningReview {
  title: string
  /** All of them: what is not here does not happen. `text` is the line for a person. */
  effects: readonly (Effect & { text: string })[]
  warnings: readonly string[]
  /** It only takes access back or pays the return address. */
  isReturn: boolean
  /** Addresses outside the pins that gain something: the owner confirms each by typing its end. */
  confirmAddresses: readonly Address[]
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
  /** By `readNamedCurves`: curves that a pinned launchpad lists, on the wallet's own node. */
  curves: readonly ListedCurve[]
  /** Whether a call whose effects are unknown is offered at all. */
  allowsUnknownCalls: boolean
}

/** The result of reading one request; texts are added at the end. */
export interface Reading {
  title: string
  effects: readonly Effect[]
  warnings?: readonly string[]
  confirmAddresses?: readonly Address[]
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
