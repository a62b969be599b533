import type { Hex, Receipt, WireOrderList } from '@pit/chain'
import type { SignerCheck, Spend } from './calls.ts'

/** Calls about signed orders and a session's controls. Amounts in decimal digits, times in unix seconds. */

export type SignedReceipt = Receipt & { cosigner: Hex; signature: Hex }

export type RegisterOrdersParams = {
  root_hash: Hex
  list: WireOrderList
  /** The wallet's, of `orderTypedData`. */
  signature: Hex
  challenge: Hex
}
export type RegisteredOrders = { list_hash: Hex; ids: Hex[]; receipt: SignedReceipt }

export type CancelOrdersParams = { root_hash: Hex; challenge: Hex } & (
  | { ids: readonly Hex[] }
  | { all: true }
)

export type OrderStatesParams = { root_hash: Hex; ids: readonly Hex[]; challenge: Hex }

export type OrderEnd = 'cancelled' | 'replaced' | 'filled'

/** One order as the co-signer's ledger has it. */
export type OrderStatus = {
  id: Hex
  list_hash: Hex
  /** Its place in the list, from 0. */
  position: number
  registered_at: number
  /** Null while it may trade; a filled one is only marked when the session reaches its limit of open orders. */
  ended: { how: OrderEnd; at: number } | null
  /** Whether its trigger was met; true without one. */
  met: boolean
  /** Of the order's or its group's budget: co-signed and not known to be unused. */
  reserved_in: string
  /** Of those, sent for certain. */
  spent_in: string
  received_out: string
}
export type BreakerStatus = {
  max_fall_micro_usd: number
  /** Best P&L of its window and P&L now, at the co-signer's prices; null while they cannot be priced. */
  best_micro_usd: number | null
  now_micro_usd: number | null
  tripped_until: number | null
}
/** Where a session stands against its controls. */
export type ControlLevels = {
  root_hash: Hex
  /** Unsigned trades that count towards `signature_above`. */
  unsigned_micro_usd: number
  /** In the binding's order. */
  breakers: BreakerStatus[]
}
export type ControlsStatus = ControlLevels & { orders: OrderStatus[] }
/** Most sessions of one reading of levels. */
export const MAX_LEVELS = 200

export type SettleParams = { root_hash: Hex; sequence: number; tx_hash: Hex }
/** `open`: it may still be sent. `settled_at` in unix seconds: the triggers of an exit count from then on. */
export type SettledLeaf = {
  state: 'used' | 'unused' | 'open'
  received: string | null
  settled_at: number | null
}

/** One rule of a rehearsal, passed or failed. */
export type RuleVerdict = Omit<SignerCheck, 'ok'> & { ok: boolean }
export type Rehearsal = { checks: RuleVerdict[]; spend: Spend & { this_micro_usd: number | null } }
