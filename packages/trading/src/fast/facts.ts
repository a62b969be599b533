import type { Address } from '@pit/chain'
import type { Mark } from '@pit/market'
import type { FeeSide } from '@pit/protocol'
import type { PlanSimulation } from '../types.ts'
import type { BuildDiff, FeePayment } from './diffs.ts'
import type { TxReading } from './readTx.ts'
import type { FastParams } from './rebuild.ts'
import type { FastAddresses, PinnedRoute } from './table.ts'

/** The fee this wallet pays for this trade. */
export interface FastFee {
  /** Shield included. */
  bps: number
  class: 'major'
  /** Before shield. */
  tier: number
  shield: boolean
  /** Null if the pair has no route. */
  side: FeeSide | null
  token: Address | null
  recipient: Address
}

/** A wallet's balances and allowances at one block. */
export interface Funds {
  readAtMs: number
  balanceWei: bigint
  tokens: ReadonlyMap<Address, TokenFunds>
  /** Blocked by the stock issuer, out of the wallet, the router, Permit2 and the stock pools. */
  blocked: ReadonlySet<Address>
}
export interface TokenFunds {
  balance: bigint
  /** To Permit2. */
  allowance: bigint
  /** From Permit2 to the router. */
  permit: { amount: bigint; expirationS: number; nonce: number }
  /** Stock tokens only. */
  paused: boolean
}

/** Comparison of the calldata with the one we build. */
export interface Rebuilt {
  matches: boolean
  diffs: readonly BuildDiff[]
  /** Null when the call cannot be read. */
  fees: readonly FeePayment[] | null
}

/** The input of every rule, gathered before the first one runs. Null: unknown. */
export interface Facts {
  nowMs: number
  request: FastParams
  wallet: Address
  addresses: FastAddresses
  tx: TxReading
  route: PinnedRoute | null
  /** Addresses that touch the stock token of this trade, the wallet first; empty for other trades. */
  stockParties: readonly Address[]
  stocksOpen: boolean
  marks: { in: Mark | undefined; out: Mark | undefined } | null
  /** Null unless both marks exist and are fresh. */
  priced: Priced | null
  fee: FastFee
  baseFeeWei: bigint
  /** Limit for gas limit × fee cap, from the profile. */
  maxCostWei: bigint
  rebuilt: Rebuilt | null
  /** The signer of the permit; undefined without one. */
  permitSigner: Address | null | undefined
  funds: Funds | null
  /** Null if not requested, or if the transaction does not qualify for simulation. */
  simulation: PlanSimulation | null
  /** The pool's output for `swapIn`, from the followed state. */
  poolOut: bigint | null
  /** Output units per input unit at the reference pools. */
  mid: number | null
}

export interface Priced {
  /** Value of amount_in. */
  notionalMicroUsd: bigint
  /** The pair's cap for this size. */
  capBps: number
  /** Amount that enters the pool. */
  swapIn: bigint
  /** Output for `swapIn` at the marks, without any fee. */
  fairOut: bigint
  /** `fairOut` less an output-side fee: what the wallet would receive. */
  fairNet: bigint
}
