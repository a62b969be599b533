import type { Hex, Order } from '@pit/chain'
import type { OrderEnd } from '@pit/signer-wire'

/** An order as the ledger has it. */
export interface StoredOrder {
  id: Hex
  rootHash: Hex
  listHash: Hex
  /** Its place in the list, from 0. */
  position: number
  order: Order
  /** The order itself, or the first one of its group. */
  budgetId: Hex
  parentId: Hex | null
  registeredAtMs: number
  /** Null until its trigger was met. */
  metAtMs: number | null
  ended: { how: OrderEnd; atMs: number } | null
}

/** Sums over the leaves of one order. */
export interface OrderTotals {
  id: Hex
  budgetId: Hex
  /** Input of its leaves that are not known to be unused. */
  reserved: bigint
  /** Of those, sent for certain. */
  spent: bigint
  received: bigint
  /** Least output of its leaves that may still be sent. */
  pendingOut: bigint
  /** Parts that are not known to be unused. */
  parts: number
}

/** The leaf of one part. */
export interface PartLeaf {
  sequence: number
  amountIn: bigint
  microUsd: bigint
  state: 'used' | 'unused' | null
  firstSignedAtMs: number
  expiresS: number
}
