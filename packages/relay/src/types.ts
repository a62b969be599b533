import type { Address, Hex } from '@pit/chain'
import type { FeeClass, FeeSide } from '@pit/protocol'

/** Who trades: the key a trade is kept under, and the wallet it is bound to. */
export interface Trader {
  keyId: number
  wallet: Address
}

export type TxKind = 'approve' | 'fee_transfer' | 'swap' | 'revoke'
export type TradePath = 'agent' | 'session' | 'hosted' | 'fast'
export type TradeStatus = 'relaying' | 'pending' | 'mined' | 'reverted' | 'dropped' | 'refused'

/** What was agreed on the service's fee. */
export interface FeeTerms {
  bps: number
  class: FeeClass
  tier: number
  side: FeeSide
  /** All zero for ETH. */
  token: Address
  /** Null where it is a portion of what comes out. */
  amount: bigint | null
  recipient: Address
}

/** The trade a transaction belongs to, as stored before it is sent. */
export interface TradeTerms {
  path: TradePath
  sessionId: string | null
  tokenIn: Address
  tokenOut: Address
  /** Fee included. */
  amountIn: bigint
  amountOutMin: bigint
  fee: FeeTerms
  /** The fee is paid by a transaction of its own. */
  feeApart: boolean
  /** The side whose dollars count toward the volume tier. */
  volumeToken: Address | null
}

/** A parsed signed transaction: its canonical encoding, hash, signer and nonce. */
export interface SignedBytes {
  raw: Hex
  hash: Hex
  signer: Address
  nonce: number
}

export interface RelayRequest {
  signed: SignedBytes
  kind: TxKind
  keyId: number
  /** Whose trade it is: a session's wallet, whoever signs. */
  wallet: Address
  /** Null for approvals taken back, which belong to no trade. */
  terms: TradeTerms | null
  /** The transaction that paid the fee, where that travels apart. */
  feeTxHash?: Hex | null
  /** While another call relays the same bytes: wait for it (default), or say so at once. */
  whenInFlight?: 'wait' | 'tell'
}

export type RejectedReason =
  /** The sequencer said no. The same bytes may be relayed again. */
  | 'sequencer'
  /** Relayed before and given up: it may still land, so whatever replaces it takes its nonce. */
  | 'dropped'
  /** Its fee pays for another swap. Nothing was sent. */
  | 'fee_used'
  /** The store was too slow to send safely. Nothing was sent; the same bytes may be relayed again. */
  | 'late'

/** The outcome of relaying. Only `sent` means that this call sent the bytes. */
export type RelayOutcome = { hash: Hex; ms: { write: number; send: number } } & (
  | { kind: 'sent' }
  | { kind: 'repeat'; status: 'pending' | 'mined' | 'reverted' }
  /** Another call relays them, here or in another process, and has not ended. */
  | { kind: 'in_flight' }
  | {
      kind: 'rejected'
      reason: RejectedReason
      /** The sequencer's, cleaned; ours for the other reasons. */
      words: string
      /** The sequencer's words are about the nonce. */
      nonceRefused: boolean
      /** Whether the chain shows the nonce taken by something else; null when it was not asked. */
      nonceSpent: boolean | null
    }
  /** No answer: it may have arrived. The row is followed until the chain tells. */
  | { kind: 'unreachable' }
)

/** A transaction of a plan that was answered. */
export interface PlannedTx {
  kind: TxKind
  wallet: Address
  /** Approvals outlive their plan's deadline; what moves money does not. */
  expiresAtS: number
  createdAtS: number
  /** The approvals that its plan has before it. */
  approvalsBefore: number
  /** Null for approvals taken back. */
  terms: TradeTerms | null
}
