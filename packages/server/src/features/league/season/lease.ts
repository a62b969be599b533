import type { Clock } from '@pit/platform/clock'
import type { Db } from '@pit/platform/db'

/** Longer than a run takes: a worker that dies is followed by another after this. */
const LEASE_MS = 120_000

/** Runs the work unless another worker is at it; two at once would do no harm, only everything twice. */
export async function withLease(
  { db, clock, workerId }: { db: Db; clock: Clock; workerId: string },
  work: () => Promise<void>,
): Promise<boolean> {
  const nowMs = clock.nowMs()
  const taken = await db.query(
    `insert into league_lease (held_by, until_ms) values ($1, $2)
     on conflict (only_one) do update set held_by = excluded.held_by, until_ms = excluded.until_ms
       where league_lease.until_ms <= $3 or league_lease.held_by = $1 returning 1`,
    [workerId, nowMs + LEASE_MS, nowMs],
  )
  if (taken.length === 0) return false
  try {
    await work()
    return true
  } finally {
    await db.query('update league_lease set until_ms = 0 where held_by = $1', [workerId]).catch(() => {})
  }
}
