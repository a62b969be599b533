import { randomUUID } from 'node:crypto'
import type { Timer } from '../clock/clock.ts'
import type { Db } from '../db/index.ts'

export interface Leases {
  /**
   * Runs the work unless another process holds the lease; then returns false. The work's signal is aborted
   * with the caller's, and when the lease is lost because the store did not renew it in time.
   */
  hold(name: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<void>): Promise<boolean>
}

/** A dead process is replaced after this; a process in a long statement renews meanwhile. */
const LEASE_MS = 120_000
const RENEW_MS = 30_000

/** Leases in memory, for the embedded store, which has a single process. */
export function createLocalLeases(): Leases {
  const held = new Set<string>()
  return {
    async hold(name, signal, work) {
      if (held.has(name)) return false
      held.add(name)
      try {
        await work(signal)
        return true
      } finally {
        held.delete(name)
      }
    },
  }
}

/** Leases by name in the table `job_leases`. Clocks differ, so the work must tolerate running twice. */
export function createLeases({
  db,
  clock,
  leaseMs = LEASE_MS,
  renewMs = RENEW_MS,
}: {
  db: Db
  clock: Timer
  leaseMs?: number
  renewMs?: number
}): Leases {
  async function take(name: string, holder: string): Promise<boolean> {
    const nowMs = clock.nowMs()
    const rows = await db.query(
      `insert into job_leases (name, held_by, until_ms) values ($1, $2, $3)
       on conflict (name) do update set held_by = excluded.held_by, until_ms = excluded.until_ms
         where job_leases.until_ms <= $4 returning 1`,
      [name, holder, nowMs + leaseMs, nowMs],
    )
    return rows.length > 0
  }

  /** Until the signal is aborted; resolves early when the lease is lost. */
  async function renew(name: string, holder: string, signal: AbortSignal): Promise<void> {
    let untilMs = clock.nowMs() + leaseMs
    for (;;) {
      await clock.sleep(renewMs, signal)
      if (signal.aborted) return
      const nextMs = clock.nowMs() + leaseMs
      const held = await db
        .query('update job_leases set until_ms = $3 where name = $1 and held_by = $2 returning 1', [
          name,
          holder,
          nextMs,
        ])
        .then(
          (rows) => rows.length > 0,
          () => null,
        )
      if (held) untilMs = nextMs
      if (held === false || clock.nowMs() >= untilMs) return
    }
  }

  return {
    async hold(name, signal, work) {
      // A new holder per hold: two holds in one process exclude each other too.
      const holder = randomUUID()
      if (!(await take(name, holder))) return false
      const done = new AbortController()
      const lost = new AbortController()
      const renewing = renew(name, holder, done.signal).then(() => lost.abort())
      try {
        await work(AbortSignal.any([signal, lost.signal]))
        return true
      } finally {
        done.abort()
        // A pending renewal would take the lease again after its release.
        await renewing
        await db
          .query('update job_leases set until_ms = 0 where name = $1 and held_by = $2', [name, holder])
          .catch(() => {})
      }
    },
  }
}
