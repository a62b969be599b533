import type { Hex } from '@pit/chain'
import type { Clock } from '@pit/platform/clock'
import type { Db, Sql } from '@pit/platform/db'
import { fail } from '@pit/protocol'
import type { SignedReceipt } from '@pit/signer-wire'
import { tradeRefusal } from '../checks.ts'
import type { Cosigner } from '../keys/createCosigner.ts'
import { type Change, confirm, outstandingOf } from './receipts.ts'
import { endOrders, lockRoot, openOrders, orphansOf } from './store.ts'

export interface CancelRequest {
  rootHash: Hex
  which: 'all' | readonly Hex[]
  challenge: Hex
}

/** Ids of a session that may be cancelled before they are registered. */
const MAX_UNKNOWN = 10_000

/**
 * Ends orders, also while frozen and of a session that ended. Unknown ids can then never be registered.
 * Co-signed leaves stay reserved and may still be sent: each receipt says how much, and until when.
 */
export async function cancelOrders(
  { db, clock, cosigner }: { db: Db; clock: Clock; cosigner: Cosigner },
  { rootHash, which, challenge }: CancelRequest,
): Promise<{ receipts: SignedReceipt[] }> {
  const changes = await db.transaction(async (sql) => {
    // Waits for leaves in progress; later ones see the cancellation.
    if (!(await lockRoot(sql, rootHash))) fail('NO_SESSION', { message: 'The root is not registered.' })
    const atMs = clock.nowMs()
    const named = which === 'all' ? await openIds(sql, rootHash, atMs) : [...new Set(which)]
    const ended = await endOwn(sql, { rootHash, ids: named, atMs })
    const unknown = named.filter((id) => !ended.has(id))
    const marked = await markUnknown(sql, { rootHash, ids: unknown, atMs })
    const outstanding = await outstandingOf(sql, [...ended.keys()], atMs)
    return [...ended, ...marked].map(
      ([id, endedAtMs]): Change => ({
        what: 'cancelled',
        session: rootHash,
        id,
        atMs: endedAtMs,
        ...(outstanding.has(id) && { outstanding: outstanding.get(id)! }),
      }),
    )
  })
  return { receipts: await Promise.all(changes.map((change) => confirm(cosigner, change, challenge))) }
}

const openIds = async (sql: Sql, rootHash: Hex, atMs: number): Promise<Hex[]> =>
  (await openOrders(sql, rootHash, Math.floor(atMs / 1000))).map(({ id }) => id)

type Ids = { rootHash: Hex; ids: readonly Hex[]; atMs: number }

/** The session's own orders among these, and exits that can no longer be armed. */
async function endOwn(sql: Sql, { rootHash, ids, atMs }: Ids): Promise<Map<Hex, number>> {
  const rows = await sql.query<{ id: Hex }>(
    'select id from orders where root_hash = $1 and id = any($2::text[]) order by id',
    [rootHash, ids],
  )
  const own = rows.map(({ id }) => id)
  const ended = await endOrders(sql, { ids: own, how: 'cancelled', atMs })
  const orphans = await endOrders(sql, { ids: await orphansOf(sql, own), how: 'cancelled', atMs })
  return new Map([...ended, ...orphans])
}

/** Permanent: the id is refused ever after. */
async function markUnknown(sql: Sql, { rootHash, ids, atMs }: Ids): Promise<Map<Hex, number>> {
  if (ids.length === 0) return new Map()
  await sql.query(
    `insert into cancelled_orders (id, root_hash, at_ms) select id, $1, $2 from unnest($3::text[]) as t (id)
     on conflict do nothing`,
    [rootHash, atMs, ids],
  )
  const [count] = await sql.query<{ n: number }>(
    'select count(*)::int4 as n from cancelled_orders where root_hash = $1',
    [rootHash],
  )
  if (count!.n > MAX_UNKNOWN) {
    const message = 'Too many unknown orders of this session were cancelled.'
    const check = { rule: 'ORDER_LIMIT', ok: false, message, value: count!.n, limit: MAX_UNKNOWN } as const
    throw tradeRefusal([check], 'own executor')
  }
  const rows = await sql.query<{ id: Hex; at_ms: number }>(
    'select id, at_ms from cancelled_orders where id = any($1::text[])',
    [ids],
  )
  return new Map(rows.map(({ id, at_ms }) => [id, at_ms]))
}
