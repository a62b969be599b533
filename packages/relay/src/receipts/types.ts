import type { Address, Hex } from '@pit/chain'
import type { FeeClass, FeeSide } from '@pit/protocol'
import type { TradeStatus, TxKind } from '../types.ts'

/** A relayed transaction as needed to follow it. Amounts as stored. */
export interface FollowedRow {
  id: number
  kind: TxKind
  wallet: Address
  status: TradeStatus
  token_in: Address | null
  token_out: Address | null
  amount_in: string | null
  amount_out_min: string | null
  tx_hash: Hex
  signer: Address
  nonce: number
  fee_bps: number | null
  fee_class: FeeClass | null
  fee_side: FeeSide | null
  fee_token: Address | null
  fee_amount: string | null
  fee_recipient: Address | null
  fee_apart: boolean
  block: number | null
  block_hash: Hex | null
  session_id: string | null
  created_at_ms: number
}

export type { Receipt, ReceiptLog } from '@pit/platform/reads'

export interface BookedFee {
  token: Address
  atoms: bigint
  side: FeeSide
  bps: number
  class: FeeClass
  recipient: Address
}

/** The result of a receipt for a row. */
export interface Outcome {
  row: FollowedRow
  status: 'mined' | 'reverted'
  block: number
  blockHash: Hex
  minedAtS: number
  gasWei: bigint | null
  amountOut: bigint | null
  amountOutKind: 'actual' | 'minimum' | null
  fee: BookedFee | null
}
