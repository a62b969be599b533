import type { Clock } from '@pit/platform/clock'
import type { Db } from '@pit/platform/db'

/** A worker that dies is followed by another after this; one that is at a long statement renews it meanwhile. */
const LEASE_MS = 120_000
const RENEW_MS = 30_000

/** Runs the work unless another worker is at it; two at once would do no harm, only everything twice. */
export async function withLease(
  { db, clock, workerId, renewMs = RENEW_MS }: { db: Db; clock: Clock; workerId: string; renewMs?: number },
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
  const renew = () =>
    db
      .query('update league_lease set until_ms = $2 where held_by = $1', [workerId, clock.nowMs() + LEASE_MS])
      .catch(() => {})
  let renewed: Promise<unknown> = Promise.resolve()
  const renewal = setInterval(() => {
    renewed = renewed.then(renew)
  }, renewMs)
  renewal.unref()
  try {
    await work()
    return true
  } finally {
    clearInterval(renewal)
    // One that is still under way would take the lease again after it was given back.
    await renewed
    await db.query('update league_lease set until_ms = 0 where held_by = $1', [workerId]).catch(() => {})
  }
}
