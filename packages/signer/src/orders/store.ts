import { fromWireOrder, type Hex, type WireOrder } from '@pit/chain'
import type { Sql } from '@pit/platform/db'
import type { LedgerOrderState } from '@pit/protocol'
import type { OrderEnd } from '@pit/signer-wire'
import type { OrderTotals, StoredOrder } from './types.ts'

/**
 * False if the root is not registered. Leaves, cancellations and settlements of a root wait for each other, and
 * a leaf that was judged by an earlier version is judged again.
 */
export const lockRoot = async (sql: Sql, rootHash: Hex): Promise<boolean> =>
  (await sql.query('update roots set version = version + 1 where hash = $1 returning hash', [rootHash]))
    .length > 0

/** As `lockRoot`, in one order, so that two callers never wait for each other. */
export async function lockRoots(sql: Sql, hashes: readonly Hex[]): Promise<void> {
  await sql.query('select from roots where hash = any($1::text[]) order by hash for update', [hashes])
  await sql.query('update roots set version = version + 1 where hash = any($1::text[])', [hashes])
}

export interface OrderRow {
  id: Hex
  root_hash: Hex
  list_hash: Hex
  position: number
  budget_id: Hex
  parent_id: Hex | null
  met_at_ms: number | null
  ended: OrderEnd | null
  ended_at_ms: number | null
  registered_at_ms: number
  list: { orders: readonly WireOrder[] }
}

export const ORDER_COLUMNS = `o.id, o.root_hash, o.list_hash, o.position, o.budget_id, o.parent_id, o.met_at_ms, o.ended,
  o.ended_at_ms, l.registered_at_ms, l.list`
const ORDERS = `select ${ORDER_COLUMNS} from orders o join order_lists l on l.hash = o.list_hash`

export function orderOf(row: OrderRow): StoredOrder {
  const order = row.list.orders[row.position]
  if (!order) throw new Error(`the stored list ${row.list_hash} has no order ${row.position}`)
  return {
    id: row.id,
    rootHash: row.root_hash,
    listHash: row.list_hash,
    position: row.position,
    order: fromWireOrder(order),
    budgetId: row.budget_id,
    parentId: row.parent_id,
    registeredAtMs: row.registered_at_ms,
    metAtMs: row.met_at_ms,
    ended: row.ended === null ? null : { how: row.ended, atMs: row.ended_at_ms! },
  }
}

/** Null unless it is an order of this session. */
export async function findOrder(sql: Sql, rootHash: Hex, id: Hex): Promise<StoredOrder | null> {
  const [row] = await sql.query<OrderRow>(`${ORDERS} where o.id = $1 and o.root_hash = $2`, [id, rootHash], {
    prepared: true,
  })
  return row ? orderOf(row) : null
}

/** Orders with these ids, whatever their session. */
export async function findOrders(sql: Sql, ids: readonly Hex[]): Promise<StoredOrder[]> {
  if (ids.length === 0) return []
  const rows = await sql.query<OrderRow>(`${ORDERS} where o.id = any($1::text[]) order by o.id`, [ids])
  return rows.map(orderOf)
}

/** By its row alone: one whose budget is spent is `open` until it is marked. */
export const stateOf = ({ ended, order }: StoredOrder, nowS: number): LedgerOrderState =>
  ended?.how ?? (order.expiresAt > nowS ? 'open' : 'expired')

/** Orders of a session that have neither ended nor expired. */
export async function openOrders(sql: Sql, rootHash: Hex, nowS: number): Promise<StoredOrder[]> {
  const rows = await sql.query<OrderRow>(
    `${ORDERS} where o.root_hash = $1 and o.expires_at_s > $2 and o.ended is null order by o.id`,
    [rootHash, nowS],
    { prepared: true },
  )
  return rows.map(orderOf)
}

/** Newest first. */
export async function lastOrders(sql: Sql, rootHash: Hex, limit: number): Promise<StoredOrder[]> {
  const rows = await sql.query<OrderRow>(
    `${ORDERS} where o.root_hash = $1 order by l.registered_at_ms desc, o.list_hash, o.position limit $2`,
    [rootHash, limit],
  )
  return rows.map(orderOf)
}

export interface TotalsRow {
  id: Hex
  budget_id: Hex
  reserved: string
  spent: string
  received: string
  pending_out: string
  parts: number
}

export const TOTALS = `select o.id, o.budget_id,
    coalesce(sum(l.amount_in) filter (where l.state is distinct from 'unused'), 0)::text as reserved,
    coalesce(sum(l.amount_in) filter (where l.state = 'used'), 0)::text as spent,
    coalesce(sum(l.received), 0)::text as received,
    coalesce(sum(l.min_out) filter (where l.state is null), 0)::text as pending_out,
    (count(distinct l.part) filter (where l.state is distinct from 'unused'))::int4 as parts
  from orders o join order_leaves l on l.order_id = o.id`

export const totalsOf = (row: TotalsRow): OrderTotals => ({
  id: row.id,
  budgetId: row.budget_id,
  reserved: BigInt(row.reserved),
  spent: BigInt(row.spent),
  received: BigInt(row.received),
  pendingOut: BigInt(row.pending_out),
  parts: row.parts,
})

/** Of these orders, their groups and their parents. */
export async function readTotals(sql: Sql, orders: readonly StoredOrder[]): Promise<OrderTotals[]> {
  if (orders.length === 0) return []
  const rows = await sql.query<TotalsRow>(
    `${TOTALS} where o.budget_id = any($1::text[]) or o.id = any($2::text[]) group by o.id, o.budget_id`,
    [orders.map(({ budgetId }) => budgetId), orders.flatMap(({ parentId }) => parentId ?? [])],
  )
  return rows.map(totalsOf)
}

/** Ends what has not ended. A filled order can be replaced, once. */
export async function endOrders(
  sql: Sql,
  { ids, how, atMs }: { ids: readonly Hex[]; how: OrderEnd; atMs: number },
): Promise<void> {
  await sql.query(
    `update orders set ended = $2, ended_at_ms = $3
     where id = any($1::text[]) and (ended is null or (ended = 'filled' and $2 = 'replaced'))`,
    [ids, how, atMs],
  )
}

/** Open orders whose entry is one of these, has ended and never traded: they can never be armed. */
export async function orphansOf(sql: Sql, ids: readonly Hex[]): Promise<Hex[]> {
  const rows = await sql.query<{ id: Hex }>(
    `select o.id from orders o where o.parent_id = any($1::text[]) and o.ended is null
       and not exists (select from order_leaves l
         where l.order_id = o.parent_id and l.state is distinct from 'unused') order by o.id`,
    [ids],
  )
  return rows.map(({ id }) => id)
}

/** When the first trade of an order was settled; null before. */
export async function firstFillMs(sql: Sql, id: Hex): Promise<number | null> {
  const [row] = await sql.query<{ at_ms: number | null }>(
    `select min(settled_at_ms) as at_ms from order_leaves where order_id = $1 and state = 'used'`,
    [id],
  )
  return row?.at_ms ?? null
}

/** A met trigger stays met, whatever becomes of the trade that showed it. */
export const markMet = async (sql: Sql, id: Hex, atMs: number): Promise<void> => {
  await sql.query('update orders set met_at_ms = $2 where id = $1 and met_at_ms is null', [id, atMs])
}

/** A counted leaf's expiry, and how its order ended; null if the leaf has no row. */
export async function findOrderLeaf(
  sql: Sql,
  rootHash: Hex,
  sequence: number,
): Promise<{ expiresS: number; ended: OrderEnd | null } | null> {
  const [row] = await sql.query<{ expires_at_s: number; ended: OrderEnd | null }>(
    `select l.expires_at_s, o.ended from order_leaves l left join orders o on o.id = l.order_id
     where l.root_hash = $1 and l.sequence = $2`,
    [rootHash, sequence],
  )
  return row ? { expiresS: row.expires_at_s, ended: row.ended } : null
}
