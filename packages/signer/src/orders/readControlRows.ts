import type { Address, Hex } from '@pit/chain'
import type { Sql } from '@pit/platform/db'
import { CONTROLS, SESSION } from '@pit/protocol'
import type { Breaker } from '../brakes/breaker.ts'
import { type BookRow, type BookState, bookStateOf } from '../brakes/store.ts'
import { SPEND_WINDOW_MS } from '../ledger/countLeaves.ts'
import { ORDER_COLUMNS, type OrderRow, orderOf, TOTALS, type TotalsRow, totalsOf } from './store.ts'
import type { OrderTotals, PartLeaf, StoredOrder } from './types.ts'

/** Which rows the rules of one trade need. */
export interface RowsNeeded {
  /** The order that the trade carries out. */
  order: { id: Hex; part: number } | null
  /** The open orders, and the room they need. */
  openOrders: boolean
  unsigned: boolean
  /** Null if no brake judges the trade. */
  breakers: readonly Breaker[] | null
}

/** A leaf that is not settled. */
export interface OpenLeaf {
  sequence: number
  tokenIn: Address
  tokenOut: Address
  amountIn: bigint
  minOut: bigint
}

/** A session's orders, leaves and book at one moment; empty where they are not needed. */
export interface ControlRows {
  version: number
  sequence: number
  /** Null unless the open orders are needed. */
  dayMicroUsd: bigint | null
  order: (StoredOrder & { leaf: PartLeaf | null; otherPartMs: number | null }) | null
  openOrders: StoredOrder[]
  /** Of these orders, their groups and their parents. */
  totals: OrderTotals[]
  unsignedMicroUsd: bigint
  brakes: (BookState & { leaves: OpenLeaf[] }) | null
}

interface Row {
  version: number
  sequence: number
  day?: string
  orders?: OrderRow[] | null
  totals?: TotalsRow[] | null
  part?: PartRow | null
  other_part_ms?: number | null
  unsigned?: string
  book?: BookRow | null
  open_leaves?: LeafRow[] | null
}
interface PartRow {
  sequence: number
  amount_in: string
  micro_usd: number
  state: PartLeaf['state']
  first_signed_at_ms: number
  expires_at_s: number
}
interface LeafRow {
  sequence: number
  token_in: Address
  token_out: Address
  amount_in: string
  min_out: string
}

export const needsRows = ({ order, openOrders, unsigned, breakers }: RowsNeeded): boolean =>
  order !== null || openOrders || unsigned || breakers !== null

/** One statement for each set of needs, so the store keeps its plan. */
export async function readControlRows(
  sql: Sql,
  { rootHash, atMs }: { rootHash: Hex; atMs: number },
  needed: RowsNeeded,
): Promise<ControlRows> {
  const nowS = Math.floor(atMs / 1000)
  const values: unknown[] = [rootHash]
  const value = (one: unknown) => `$${values.push(one)}`
  const columns = ['r.version', 'r.sequence']
  const shown: string[] = []
  if (needed.order) {
    const id = value(needed.order.id)
    const part = `${value(needed.order.part)}::int4`
    shown.push(`o.id = ${id}`)
    columns.push(
      `(select to_jsonb(p) from (
         select l.sequence, l.amount_in::text, l.micro_usd, l.state, l.first_signed_at_ms, l.expires_at_s
         from order_leaves l where l.order_id = ${id} and l.part = ${part} order by l.sequence desc limit 1) p) as part`,
      // A used leaf was mined before it expired and before it was settled.
      `(select max(least(l.expires_at_s * 1000, coalesce(l.settled_at_ms, l.expires_at_s * 1000)))
         from order_leaves l where l.order_id = ${id} and l.part <> ${part}
         and l.state is distinct from 'unused') as other_part_ms`,
    )
  }
  if (needed.openOrders) {
    shown.push(`o.ended is null and o.expires_at_s > ${value(nowS)}`)
    const since = value(atMs - SPEND_WINDOW_MS)
    columns.push(
      `(select coalesce(sum(l.micro_usd), 0)::text from leaves l
         where l.root_hash = $1 and l.signed_at_ms > ${since} and exists (select from shown)) as day`,
    )
  }
  if (shown.length > 0)
    columns.push(
      '(select jsonb_agg(to_jsonb(shown) order by shown.id) from shown) as orders',
      `(select jsonb_agg(to_jsonb(t)) from (${TOTALS} where o.budget_id in (select budget_id from shown)
         or o.id in (select parent_id from shown) group by o.id, o.budget_id) t) as totals`,
    )
  if (needed.unsigned) columns.push(`(${unsignedSum('$1', value(unsignedSinceMs(atMs)))}) as unsigned`)
  if (needed.breakers)
    columns.push(
      '(select to_jsonb(b) from session_books b where b.root_hash = $1) as book',
      `(select jsonb_agg(to_jsonb(l)) from (
         select sequence, token_in, token_out, amount_in::text, min_out::text from order_leaves
         where root_hash = $1 and state is null) l) as open_leaves`,
    )
  const orders = `with shown as (select ${ORDER_COLUMNS} from orders o join order_lists l on l.hash = o.list_hash
    where o.root_hash = $1 and (${shown.map((one) => `(${one})`).join(' or ')})) `
  const [row] = await sql.query<Row>(
    `${shown.length > 0 ? orders : ''}select ${columns.join(', ')} from roots r where r.hash = $1`,
    values,
    { prepared: true },
  )
  if (!row) throw new Error('a session is not in the ledger')
  return rowsOf(row, needed, { nowS, atMs })
}

function rowsOf(row: Row, needed: RowsNeeded, { nowS, atMs }: { nowS: number; atMs: number }): ControlRows {
  const orders = (row.orders ?? []).map(orderOf)
  const own = needed.order && orders.find(({ id }) => id === needed.order!.id)
  const isOpen = ({ ended, order }: StoredOrder) => ended === null && order.expiresAt > nowS
  return {
    version: row.version,
    sequence: row.sequence,
    dayMicroUsd: row.day === undefined ? null : BigInt(row.day),
    order: own
      ? { ...own, leaf: row.part ? partOf(row.part) : null, otherPartMs: row.other_part_ms ?? null }
      : null,
    openOrders: needed.openOrders ? orders.filter(isOpen) : [],
    totals: (row.totals ?? []).map(totalsOf),
    unsignedMicroUsd: BigInt(row.unsigned ?? 0),
    brakes: needed.breakers && {
      ...bookStateOf(row.book ?? null, needed.breakers, atMs),
      leaves: (row.open_leaves ?? []).map((leaf) => ({
        sequence: leaf.sequence,
        tokenIn: leaf.token_in,
        tokenOut: leaf.token_out,
        amountIn: BigInt(leaf.amount_in),
        minOut: BigInt(leaf.min_out),
      })),
    },
  }
}

const partOf = (row: PartRow): PartLeaf => ({
  sequence: row.sequence,
  amountIn: BigInt(row.amount_in),
  microUsd: BigInt(row.micro_usd),
  state: row.state,
  firstSignedAtMs: row.first_signed_at_ms,
  expiresS: row.expires_at_s,
})

/** Leaves of the last hour count, and those that may still be sent. */
const unsignedSinceMs = (atMs: number): number => atMs - (CONTROLS.unsignedWindowS + SESSION.leafTtlS) * 1000

const unsignedSum = (rootHash: string, sinceMs: string): string =>
  `select coalesce(sum(l.micro_usd), 0)::text from order_leaves l
   where l.root_hash = ${rootHash} and l.order_id is null and l.state is distinct from 'unused'
     and l.first_signed_at_ms > ${sinceMs}`

/** Unsigned trades in the window that are not known to be unused. */
export async function unsignedWorth(sql: Sql, rootHash: Hex, atMs: number): Promise<bigint> {
  const [row] = await sql.query<{ coalesce: string }>(unsignedSum('$1', '$2'), [
    rootHash,
    unsignedSinceMs(atMs),
  ])
  return BigInt(row!.coalesce)
}
