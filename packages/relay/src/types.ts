import type { Address, Hex } from '@pit/chain'
import type { FeeClass, FeeSide } from '@pit/protocol'

/** The caller: the key a trade is recorded under, and its wallet. */
export interface Trader {
  keyId: number
  wallet: Address
}

export type TxKind = 'approve' | 'fee_transfer' | 'swap' | 'revoke'
export type TradePath = 'agent' | 'session' | 'hosted' | 'fast'
export type TradeStatus = 'relaying' | 'pending' | 'mined' | 'reverted' | 'dropped' | 'refused'

/** Agreed terms of the service's fee. */
export interface FeeTerms {
  bps: number
  class: FeeClass
  tier: number
  side: FeeSide
  /** All zero for ETH. */
  token: Address
  /** Null for a portion of the output. */
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
  /** The fee is paid by a separate transaction. */
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
  /** Owner of the trade: a session's wallet, even if its executor signs. */
  wallet: Address
  /** Null for revocations, which belong to no trade. */
  terms: TradeTerms | null
  /** The transaction that paid a separate fee. */
  feeTxHash?: Hex | null
  /** While another call relays the same bytes: wait for it (default), or report that at once. */
  whenInFlight?: 'wait' | 'tell'
}

export type RejectedReason =
  /** Refused by the sequencer. The same bytes may be relayed again. */
  | 'sequencer'
  /** Relayed before and dropped: may still be mined, so a replacement must use its nonce. */
  | 'dropped'
  /** Its fee paid for another swap. Nothing was sent. */
  | 'fee_used'
  /** The store was too slow to send safely. Nothing was sent; the same bytes may be relayed again. */
  | 'late'

/** The outcome of relaying. Only `sent` means that this call sent the bytes. */
export type RelayOutcome = { hash: Hex; ms: { write: number; send: number } } & (
  | { kind: 'sent' }
  | { kind: 'repeat'; status: 'pending' | 'mined' | 'reverted' }
  /** Another call, here or in another process, is still relaying them. */
  | { kind: 'in_flight' }
  | {
      kind: 'rejected'
      reason: RejectedReason
      /** The sequencer's message, sanitized; our own for the other reasons. */
      words: string
      /** The sequencer's message is about the nonce. */
      nonceRefused: boolean
      /** Whether the chain shows the nonce used by another transaction; null if not checked. */
      nonceSpent: boolean | null
    }
  /** No response: it may have arrived. The row is followed until the chain decides. */
  | { kind: 'unreachable' }
)

/** A transaction of a returned plan. */
export interface PlannedTx {
  kind: TxKind
  wallet: Address
  /** Approvals outlive their plan's deadline; transactions that move funds do not. */
  expiresAtS: number
  createdAtS: number
  /** Number of approvals before it in its plan. */
  approvalsBefore: number
  /** Null for revocations. */
  terms: TradeTerms | null
}
