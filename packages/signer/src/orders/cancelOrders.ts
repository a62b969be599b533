import type { Hex } from '@pit/chain'
import type { Sql } from '@pit/platform/db'
import { fail } from '@pit/protocol'
import type { SignedReceipt } from '@pit/signer-wire'
import type { OrderDeps } from './deps.ts'
import { type OrderState, readBlocked, readOrderStates, statementOf } from './orderStates.ts'
import { confirm, NOTHING_OUTSTANDING, type Statement } from './receipts.ts'
import { endOrders, lockRoots, openOrders, orphansOf } from './store.ts'

export interface CancelRequest {
  rootHash: Hex
  which: 'all' | readonly Hex[]
  challenge: Hex
}

/** Ids that a session blocks before they are registered. Above that a receipt says `not_registered` alone. */
const MAX_BLOCKED = 10_000

/**
 * Ends orders by their ids, whichever session of the same wallet the request names, also while frozen and of a
 * session that ended. An id that is registered nowhere can then not be registered in the named session.
 * Co-signed leaves stay reserved and may still be sent: each receipt says how much, and until when.
 */
export async function cancelOrders(
  deps: Pick<OrderDeps, 'db' | 'clock' | 'cosigner' | 'pins' | 'prices' | 'sessions'>,
  { rootHash, which, challenge }: CancelRequest,
): Promise<{ receipts: SignedReceipt[] }> {
  const { db, clock, cosigner } = deps
  const statements = await db.transaction(async (sql) => {
    const named = which === 'all' ? [] : [...new Set(which)]
    const roots = await rootsOf(sql, rootHash, named)
    if (!roots.includes(rootHash)) fail('NO_SESSION', { message: 'The root is not registered.' })
    // Waits for leaves in progress; later ones see the cancellation.
    await lockRoots(sql, roots)
    const atMs = clock.nowMs()
    const ids = which === 'all' ? await openIds(sql, rootHash, atMs) : named
    const orders = await readOrderStates(sql, deps, { ids, atMs })
    const ended = await endOpen(sql, deps, { orders, roots, atMs })
    const unknown = ids.filter((id) => !orders.some(({ stored }) => stored.id === id))
    return [...ended, ...(await blockUnknown(sql, { rootHash, ids: unknown, atMs }))]
  })
  return { receipts: await Promise.all(statements.map((one) => confirm(cosigner, one, challenge))) }
}

/** The named root, and the roots of these orders that the same wallet signed. */
async function rootsOf(sql: Sql, rootHash: Hex, ids: readonly Hex[]): Promise<Hex[]> {
  const rows = await sql.query<{ hash: Hex }>(
    `select hash from roots
     where hash = $1 or (wallet = (select wallet from roots where hash = $1)
       and hash in (select root_hash from orders where id = any($2::text[])))`,
    [rootHash, ids],
  )
  return rows.map(({ hash }) => hash)
}

const openIds = async (sql: Sql, rootHash: Hex, atMs: number): Promise<Hex[]> =>
  (await openOrders(sql, rootHash, Math.floor(atMs / 1000))).map(({ id }) => id)

/** Cancels the open ones under these roots, and exits that can then no longer be armed. */
async function endOpen(
  sql: Sql,
  deps: Parameters<typeof readOrderStates>[1],
  { orders, roots, atMs }: { orders: readonly OrderState[]; roots: readonly Hex[]; atMs: number },
): Promise<Statement[]> {
  const idsIn = (state: OrderState['state']) =>
    orders
      .filter((one) => one.state === state && roots.includes(one.stored.rootHash))
      .map(({ stored }) => stored.id)
  const open = idsIn('open')
  await endOrders(sql, { ids: idsIn('filled'), how: 'filled', atMs })
  await endOrders(sql, { ids: [...open, ...idsIn('cancelled')], how: 'cancelled', atMs })
  const orphanIds = await orphansOf(sql, open)
  const orphans = await readOrderStates(sql, deps, { ids: orphanIds, atMs })
  await endOrders(sql, { ids: orphanIds, how: 'cancelled', atMs })
  return [
    ...orders.map((one) => {
      const after = open.includes(one.stored.id) ? 'cancelled' : one.state
      return statementOf(one, { what: after === 'blocked' ? 'not_registered' : after, after })
    }),
    ...orphans.map((one) => ({
      ...statementOf(one, { what: 'cancelled', after: 'cancelled' }),
      before: 'open' as const,
    })),
  ]
}

/** For good, up to a bound: a later request must not fail because of ids that were never orders. */
async function blockUnknown(
  sql: Sql,
  { rootHash, ids, atMs }: { rootHash: Hex; ids: readonly Hex[]; atMs: number },
): Promise<Statement[]> {
  if (ids.length === 0) return []
  const before = await readBlocked(sql, rootHash, ids)
  await sql.query(
    `insert into cancelled_orders (root_hash, id, at_ms)
     select $1, id, $2 from unnest($3::text[]) as t (id) where id <> all($4::text[])
     limit greatest(0, $5 - (select count(*) from cancelled_orders where root_hash = $1))`,
    [rootHash, atMs, ids, [...before.keys()], MAX_BLOCKED],
  )
  const blocked = await readBlocked(sql, rootHash, ids)
  const stateIn = (map: ReadonlyMap<Hex, number>, id: Hex) => (map.has(id) ? 'blocked' : 'not_registered')
  return ids.map((id) => ({
    what: 'not_registered',
    session: rootHash,
    id,
    before: stateIn(before, id),
    after: stateIn(blocked, id),
    atMs: blocked.get(id) ?? atMs,
    outstanding: NOTHING_OUTSTANDING,
  }))
}
