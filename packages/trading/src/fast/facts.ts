import type { Address } from '@pit/chain'
import type { Mark } from '@pit/market'
import type { FeeSide } from '@pit/protocol'
import type { PlanSimulation } from '../types.ts'
import type { BuildDiff, FeeFound } from './diffs.ts'
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
  /** Null where the pair has no route. */
  side: FeeSide | null
  token: Address | null
  recipient: Address
}

/** What a wallet holds and has allowed, of one block. */
export interface Funds {
  readAtMs: number
  balanceWei: bigint
  tokens: ReadonlyMap<Address, TokenFunds>
  /** Of the wallet, the router, the permit contract and the pools of stocks: whom the issuer blocks. */
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

/** How the calldata stands to the one we build. */
export interface Rebuilt {
  matches: boolean
  diffs: readonly BuildDiff[]
  /** Null when the call cannot be read. */
  fees: readonly FeeFound[] | null
}

/** The input of every rule, gathered before the first one runs. Null: unknown. */
export interface Facts {
  nowMs: number
  request: FastParams
  wallet: Address
  addresses: FastAddresses
  tx: TxReading
  route: PinnedRoute | null
  /** Who touches the stock token of this trade, the wallet first; nobody in another trade. */
  stockParties: readonly Address[]
  stocksOpen: boolean
  marks: { in: Mark | undefined; out: Mark | undefined } | null
  /** Both marks are there and fresh: only then is anything judged by them. */
  priced: Priced | null
  fee: FastFee
  baseFeeWei: bigint
  /** Gas limit times fee cap, by the profile. */
  maxCostWei: bigint
  rebuilt: Rebuilt | null
  /** The signer of the permit; undefined without one. */
  permitSigner: Address | null | undefined
  funds: Funds | null
  /** Null when none was asked for, or the transaction is not one to try. */
  simulation: PlanSimulation | null
  /** What the pool gives for what enters it, by its followed state. */
  poolOut: bigint | null
  /** Units of the output for one of the input, at the reference pools. */
  mid: number | null
}

export interface Priced {
  /** What amount_in is worth. */
  notionalMicroUsd: bigint
  /** The pair's cap for this size. */
  capBps: number
  /** What enters the pool. */
  swapIn: bigint
  /** What that would be of the output at the marks, without any fee. */
  fairOut: bigint
  /** The same, less an output-side fee of ours: what the wallet would get. */
  fairNet: bigint
}
