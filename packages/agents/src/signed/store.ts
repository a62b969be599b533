import { fromWireOrder, type Hex, type WireOrder, type WireOrderList } from '@pit/chain'
import { ENDED_STATES, type ListFacts, type OrderFacts, type OrderFills } from '@pit/orders'
import type { Sql } from '@pit/platform/db'
import { type OrderState, SESSION } from '@pit/protocol'

/** Signed lists and orders of hosted agents. Fills are the agent's tick orders with the id of a signed one. */

export interface StoredList extends ListFacts {
  agentId: string
  sessionId: string | null
  placedAtMs: number
  orders: readonly StoredOrder[]
}
export interface StoredOrder extends OrderFacts {
  sinceMs: number
  /** Received by the trades, for display. */
  amountOut: bigint
  txHashes: readonly Hex[]
}

interface Row {
  agent_id: string
  hash: Hex
  session_id: string | null
  list: { orders: readonly WireOrder[] }
  placed_at_ms: number
  id: Hex
  position: number
  state: OrderState
  why: string | null
  since_ms: number
  watched_from_s: number | null
  peak_e18: string | null
  peak_round: string | null
  met_rounds: string[] | null
}
const COLUMNS = `l.agent_id, l.hash, l.session_id, l.list, l.placed_at_ms, o.id, o.position, o.state,
  o.why, o.since_ms, o.watched_from_s, o.peak_e18, o.peak_round, o.met_rounds`
const JOINED = `from signed_lists l join signed_orders o on o.agent_id = l.agent_id and o.list_hash = l.hash`

/** Lists of these agents with an order that has not ended, oldest first. */
export async function openLists(sql: Sql, agentIds: readonly string[], nowMs: number): Promise<StoredList[]> {
  if (agentIds.length === 0) return []
  const rows = await sql.query<Row>(
    `select ${COLUMNS} ${JOINED}
     where (l.agent_id, l.hash) in (
       select agent_id, list_hash from signed_orders where agent_id = any($1::text[]) and not ended)
     order by l.placed_at_ms, l.hash, o.position`,
    [agentIds],
  )
  return listsOf(sql, rows, nowMs)
}

/** The newest lists of an agent, newest first, or the one with this hash. */
export async function newestLists(
  sql: Sql,
  { agentId, hash, limit }: { agentId: string; hash?: Hex; limit: number },
  nowMs: number,
): Promise<StoredList[]> {
  const rows = await sql.query<Row>(
    `select ${COLUMNS} ${JOINED}
     where l.agent_id = $1 and l.hash in (
       select hash from signed_lists where agent_id = $1 and ($2::text is null or hash = $2)
       order by placed_at_ms desc limit $3)
     order by l.placed_at_ms desc, l.hash, o.position`,
    [agentId, hash ?? null, limit],
  )
  return listsOf(sql, rows, nowMs)
}

/** Lists of an agent that have one of these orders. */
export async function listsWith(
  sql: Sql,
  agentId: string,
  ids: readonly Hex[],
  nowMs: number,
): Promise<StoredList[]> {
  const rows = await sql.query<Row>(
    `select ${COLUMNS} ${JOINED}
     where l.agent_id = $1 and l.hash in (
       select list_hash from signed_orders where agent_id = $1 and id = any($2::text[]))
     order by l.placed_at_ms desc, l.hash, o.position`,
    [agentId, ids],
  )
  return listsOf(sql, rows, nowMs)
}

async function listsOf(sql: Sql, rows: readonly Row[], nowMs: number): Promise<StoredList[]> {
  const fills = await readFills(sql, rows, nowMs)
  const lists = new Map<string, { first: Row; orders: StoredOrder[] }>()
  for (const row of rows) {
    const key = `${row.agent_id} ${row.hash}`
    const list = lists.get(key) ?? { first: row, orders: [] }
    if (list.orders.length === 0) lists.set(key, list)
    list.orders.push(orderOf(row, fills.get(`${row.agent_id} ${row.id}`)))
  }
  return [...lists.values()].map(({ first, orders }) => ({
    agentId: first.agent_id,
    hash: first.hash,
    sessionId: first.session_id,
    placedAtMs: first.placed_at_ms,
    orders,
  }))
}

function orderOf(row: Row, filled: Filled | undefined): StoredOrder {
  const { fills, amountOut, txHashes } = filled ?? NOTHING
  return {
    id: row.id,
    order: fromWireOrder(row.list.orders[row.position]!),
    state: row.state,
    why: row.why,
    sinceMs: row.since_ms,
    watchedFromS: row.watched_from_s,
    metRounds: row.met_rounds,
    peak: row.peak_round === null ? null : { priceE18: BigInt(row.peak_e18!), round: row.peak_round },
    fills,
    amountOut,
    txHashes,
  }
}

interface Filled {
  fills: OrderFills
  amountOut: bigint
  txHashes: Hex[]
}
const NOTHING: Filled = {
  fills: {
    spentIn: 0n,
    receivedOut: 0n,
    parts: 0,
    lastPartMs: null,
    settledFromS: null,
    open: null,
    attempt: null,
  },
  amountOut: 0n,
  txHashes: [],
}

/** A leaf that was signed longer ago can no longer be sent. */
const LEAF_MS = (SESSION.leafTtlS + 30) * 1_000

interface FillRow {
  agent_id: string
  id: Hex
  spent: string
  received: string
  amount_out: string
  parts: number
  last_part_ms: number | null
  settled_from_s: number | null
  open_part: number | null
  open_in: string | null
  attempts: number
  attempt_code: string | null
  attempt_why: string | null
  attempt_ms: number | null
  attempt_in: string | null
  tx_hashes: Hex[] | null
}

async function readFills(
  sql: Sql,
  orders: readonly { agent_id: string; id: Hex }[],
  nowMs: number,
): Promise<Map<string, Filled>> {
  if (orders.length === 0) return new Map()
  const rows = await sql.query<FillRow>(
    `with parts as (
       select h.*, max(h.id) filter (where h.status = 'filled') over whole as last_filled,
         h.status in ('intended', 'signed', 'relayed') as is_open
       from unnest($1::text[], $2::text[]) as given (agent, signed_id)
       join hosted_orders h on h.agent_id = given.agent and h.signed_order_id = given.signed_id
       window whole as (partition by h.agent_id, h.signed_order_id)
     ), tried as (
       select *, not is_open and status <> 'filled' and id > coalesce(last_filled, 0) as is_attempt from parts
     )
     select agent_id, signed_order_id as id,
       coalesce(sum(amount_in) filter (where status = 'filled'), 0)::text as spent,
       coalesce(sum(coalesce(received, amount_out)) filter (where status = 'filled'), 0)::text as received,
       coalesce(sum(amount_out) filter (where status = 'filled'), 0)::text as amount_out,
       count(*) filter (where status = 'filled') as parts,
       max(case when fill_id is not null then created_at_ms
           else coalesce((settled_at_s + 1) * 1000, created_at_ms + $4) end)
         filter (where status = 'filled') as last_part_ms,
       min(settled_at_s) filter (where status = 'filled') as settled_from_s,
       max(part) filter (where is_open) as open_part,
       (sum(amount_in) filter (where is_open))::text as open_in,
       count(*) filter (where is_attempt) as attempts,
       (array_agg(code order by id desc) filter (where is_attempt))[1] as attempt_code,
       (array_agg(why order by id desc) filter (where is_attempt))[1] as attempt_why,
       max(created_at_ms) filter (where is_attempt) as attempt_ms,
       (min(amount_in) filter (where is_attempt and created_at_ms > $3))::text as attempt_in,
       array_agg(tx_hash order by id) filter (where status = 'filled' and tx_hash is not null) as tx_hashes
     from tried group by agent_id, signed_order_id`,
    [orders.map(({ agent_id }) => agent_id), orders.map(({ id }) => id), nowMs - LEAF_MS, LEAF_MS],
  )
  return new Map(rows.map((row) => [`${row.agent_id} ${row.id}`, filledOf(row)]))
}

const filledOf = (row: FillRow): Filled => ({
  fills: {
    spentIn: BigInt(row.spent),
    receivedOut: BigInt(row.received),
    parts: row.parts,
    lastPartMs: row.last_part_ms,
    settledFromS: row.settled_from_s,
    open: row.open_part === null ? null : { part: row.open_part, amountIn: BigInt(row.open_in!) },
    attempt:
      row.attempts === 0
        ? null
        : {
            code: row.attempt_code,
            why: row.attempt_why,
            atMs: row.attempt_ms!,
            count: row.attempts,
            amountIn: row.attempt_in === null ? null : BigInt(row.attempt_in),
          },
  },
  amountOut: BigInt(row.amount_out),
  txHashes: row.tx_hashes ?? [],
})

export interface NewList {
  agentId: string
  hash: Hex
  ids: readonly Hex[]
  sessionId: string | null
  wire: WireOrderList
  signature: Hex | null
  registeredAtS: number
  placedAtMs: number
}

/** False if the list is stored already. */
export async function insertList(sql: Sql, list: NewList): Promise<boolean> {
  const inserted = await sql.query(
    `insert into signed_lists (agent_id, hash, session_id, list, signature, placed_at_ms)
     values ($1, $2, $3, $4, $5, $6) on conflict do nothing returning hash`,
    [list.agentId, list.hash, list.sessionId, JSON.stringify(list.wire), list.signature, list.placedAtMs],
  )
  if (inserted.length === 0) return false
  const rows = list.wire.orders
    .map(fromWireOrder)
    .map(({ trigger, parent, startsAt, expiresAt }, position) => ({
      id: list.ids[position],
      position,
      expires_at_s: expiresAt,
      watched_from_s: parent > 0 ? null : Math.max(list.registeredAtS, startsAt),
      ...(trigger.kind !== 'none' && {
        trigger_token: trigger.token,
        trigger_kind: trigger.kind,
        below_e18: trigger.kind === 'at_or_below' ? trigger.priceE18.toString() : null,
        above_e18: trigger.kind === 'at_or_above' ? trigger.priceE18.toString() : null,
        trail_bps: trigger.kind === 'trailing' ? trigger.trailBps : null,
      }),
    }))
  await sql.query(
    `insert into signed_orders (agent_id, list_hash, id, position, state, since_ms, expires_at_s, watched_from_s,
       trigger_token, trigger_kind, below_e18, above_e18, trail_bps, peak_e18)
     select $1, $2, id, position, 'armed', $4, expires_at_s, watched_from_s, trigger_token, trigger_kind,
       below_e18, above_e18, trail_bps, case when trail_bps is not null then 0 end
     from jsonb_to_recordset($3::jsonb) as given (id text, position int4, expires_at_s int8, watched_from_s int8,
       trigger_token text, trigger_kind text, below_e18 numeric, above_e18 numeric, trail_bps int4)`,
    [list.agentId, list.hash, JSON.stringify(rows), list.placedAtMs],
  )
  return true
}

/** Open orders of an agent; with `among`, only those. */
export async function countOpen(sql: Sql, agentId: string, among?: readonly Hex[]): Promise<number> {
  const [row] = await sql.query<{ open: number }>(
    `select count(*) as open from signed_orders
     where agent_id = $1 and not ended and ($2::text[] is null or id = any($2))`,
    [agentId, among ?? null],
  )
  return row?.open ?? 0
}

/** Ends open orders: those with these ids, or all. Returns the ids. */
export async function endOrders(
  sql: Sql,
  { agentId, ids, sessionIdNot }: { agentId: string; ids?: readonly Hex[]; sessionIdNot?: string | null },
  { state, why, atMs }: { state: OrderState; why: string | null; atMs: number },
): Promise<Hex[]> {
  if (!ENDED_STATES.includes(state)) throw new Error(`${state} does not end an order`)
  const rows = await sql.query<{ id: Hex }>(
    `update signed_orders o set state = $2, why = $3, since_ms = $4, ended = true
     from signed_lists l
     where o.agent_id = $1 and not o.ended and l.agent_id = o.agent_id and l.hash = o.list_hash
       and ($5::text[] is null or o.id = any($5)) and ($6::text is null or l.session_id is distinct from $6)
     returning o.id`,
    [agentId, state, why, atMs, ids ?? null, sessionIdNot ?? null],
  )
  return rows.map(({ id }) => id)
}

const KEPT_MS = 30 * 86_400_000

/** Deletes lists whose orders all ended and that were placed long ago. */
export async function sweepLists(sql: Sql, nowMs: number, limit: number): Promise<void> {
  await sql.query(
    `delete from signed_lists where (agent_id, hash) in (
       select agent_id, hash from signed_lists l where placed_at_ms < $1 and not exists (
         select 1 from signed_orders o where o.agent_id = l.agent_id and o.list_hash = l.hash and not o.ended)
       limit $2)`,
    [nowMs - KEPT_MS, limit],
  )
}
