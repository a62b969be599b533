import type { Address, Hex } from '@pit/chain'
import type { Sql } from '@pit/platform/db'
import { type LedgerOrderState, markPrice, worthDown } from '@pit/protocol'
import { priceOf } from '../prices/priceOf.ts'
import type { Session } from '../roots/readRoots.ts'
import { reservedOf } from './budget.ts'
import type { OrderDeps } from './deps.ts'
import { spentOrders, type WorthOf } from './endSpent.ts'
import { NOTHING_OUTSTANDING, type Outstanding, outstandingOf, type Statement } from './receipts.ts'
import { findOrders, openOrders, readTotals, stateOf } from './store.ts'
import type { StoredOrder } from './types.ts'

/** An order as it stands at one moment. */
export interface OrderState {
  stored: StoredOrder
  /** Filled also before the ledger marks it. */
  state: LedgerOrderState
  /** Of its budget: sent, or not known to be unused. */
  spent: bigint
  outstanding: Outstanding
  atMs: number
}

type StateDeps = Pick<OrderDeps, 'pins' | 'prices' | 'sessions'>

/** Of these ids the known ones, whatever their session. */
export async function readOrderStates(
  sql: Sql,
  deps: StateDeps,
  { ids, atMs }: { ids: readonly Hex[]; atMs: number },
): Promise<OrderState[]> {
  const nowS = Math.floor(atMs / 1000)
  const orders = await findOrders(sql, ids)
  const totals = await readTotals(sql, orders)
  const outstanding = await outstandingOf(sql, ids, atMs)
  const spentOut = new Map<Hex, LedgerOrderState>()
  for (const rootHash of new Set(orders.map((one) => one.rootHash))) {
    const session = await deps.sessions.find(rootHash)
    if (!session) continue
    const open = await openOrders(sql, rootHash, nowS)
    const ended = spentOrders(open, {
      totals: await readTotals(sql, open),
      worthOf: worthIn(deps, session),
    })
    for (const id of ended.filled) spentOut.set(id, 'filled')
    for (const id of ended.orphans) spentOut.set(id, 'cancelled')
  }
  return orders.map((stored) => {
    const state = spentOut.get(stored.id) ?? stateOf(stored, nowS)
    const endedMs = stored.ended?.atMs ?? (state === 'expired' ? stored.order.expiresAt * 1000 : atMs)
    return {
      stored,
      state,
      spent: reservedOf(totals, stored),
      outstanding: outstanding.get(stored.id) ?? NOTHING_OUTSTANDING,
      atMs: endedMs,
    }
  })
}

/** Micro-dollars at the session's prices, rounded down; null without a price. */
export function worthIn(
  { pins, prices }: Pick<StateDeps, 'pins' | 'prices'>,
  { binding }: Pick<Session, 'binding'>,
): WorthOf {
  return (token: Address, atoms: bigint) => {
    const price = priceOf(token, { pins, prices, binding })
    return 'why' in price ? null : worthDown(atoms, markPrice(price.priceE18, price.decimals))
  }
}

/** How a known order stood and stands. */
export const statementOf = (
  { stored, state, spent, outstanding, atMs }: OrderState,
  { what, after }: Pick<Statement, 'what' | 'after'>,
): Statement => ({
  what,
  session: stored.rootHash,
  id: stored.id,
  before: state,
  after,
  atMs,
  spent,
  outstanding,
})

/** Of these ids those that are blocked in a session, and since when. */
export async function readBlocked(
  sql: Sql,
  rootHash: Hex,
  ids: readonly Hex[],
): Promise<ReadonlyMap<Hex, number>> {
  const rows = await sql.query<{ id: Hex; at: number }>(
    'select id, at_ms as at from cancelled_orders where root_hash = $1 and id = any($2::text[])',
    [rootHash, ids],
  )
  return new Map(rows.map(({ id, at }) => [id, at]))
}
