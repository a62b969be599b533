import type { Job } from '@pit/platform/jobs'

/** What runs in the background: rows of the server's table. */
export interface AgentJobs {
  /** In every process. */
  everywhere: readonly Job[]
  /** Where the jobs role is. */
  worker: readonly Job[]
}

const SWEEP_EVERY_MS = 60_000

/** Deletes what nobody can ask for any more, or ends what was left over; one process at a time is enough. */
export const sweepJobs = (name: string, sweep: () => Promise<unknown>): AgentJobs => ({
  everywhere: [],
  worker: [{ name, intervalMs: SWEEP_EVERY_MS, firstAfterMs: SWEEP_EVERY_MS, lease: true, run: sweep }],
})
