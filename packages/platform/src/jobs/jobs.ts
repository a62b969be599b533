import { Counter, Gauge, Histogram } from 'prom-client'
import type { Timer } from '../clock/clock.ts'
import { type LoopOptions, startLoop } from '../clock/loop.ts'
import type { Logger } from '../monitoring/logger.ts'
import type { Metrics } from '../monitoring/metrics.ts'
import type { Activity } from './activity.ts'
import type { Leases } from './leases.ts'

/** A background job. Its times are those of a loop. */
export interface Job<Name extends string = string>
  extends Pick<LoopOptions, 'intervalMs' | 'firstAfterMs' | 'wakeAfterMs' | 'maxRetryMs' | 'run'> {
  name: Name
  /** The least interval while the process is idle; the next use wakes the job. */
  idleMs?: number | (() => number) | undefined
  /** Only one process runs it at a time. */
  lease?: true
  /** Calls back when there is work; returns the unsubscribe function. */
  wakeOn?(wake: () => void): () => void
  /** A run is late if it takes this long or starts this much after its time. */
  lateAfterMs?: number
}

/** Background jobs of a capability. */
export interface CapabilityJobs {
  /** Run in every process: they fill its memory. */
  everywhere: readonly Job[]
  /** Run in processes with the jobs role. */
  worker: readonly Job[]
}

const SWEEP_EVERY_MS = 60_000

/** Deletes expired rows. One process at a time is enough. */
export const sweepJob = (name: string, sweep: () => Promise<unknown>): Job => ({
  name,
  intervalMs: SWEEP_EVERY_MS,
  firstAfterMs: SWEEP_EVERY_MS,
  lease: true,
  run: sweep,
})

export interface JobState {
  name: string
  status: 'ok' | 'late' | 'failing'
  /** Message of the last failure, while it fails. */
  why: string | null
  lastSuccessMs: number | null
}

export interface Jobs<Name extends string> {
  wake(name: Name): void
  /** In table order. */
  state(): JobState[]
  /** Starts no more runs, aborts the running ones by signal, and waits for them. */
  stop(): Promise<void>
}

export interface JobDeps {
  clock: Timer
  logger: Pick<Logger, 'warn' | 'info'>
  metrics: Pick<Metrics, 'registry'>
  /** For jobs with a lease. */
  leases?: Leases
  /** For jobs with `idleMs`. */
  activity?: Activity
}

const LATE_AFTER_MS = 60_000

/** Runs every job of the table. A failing job keeps running; the failure is logged once. */
export function runJobs<const Name extends string>(deps: JobDeps, table: readonly Job<Name>[]): Jobs<Name> {
  const { clock, logger, leases, activity } = deps
  const counted = createJobMetrics(deps.metrics)

  function start(job: Job<Name>) {
    const { name, lateAfterMs = LATE_AFTER_MS } = job
    if (job.lease && !leases) throw new Error(`job "${name}" needs leases`)
    let lastSuccessMs: number | null = null
    let lastEndMs = clock.nowMs() + (job.firstAfterMs ?? 0)
    let why: string | null = null
    let isSkipped = false

    async function run(signal: AbortSignal): Promise<unknown> {
      if (!job.lease) return job.run(signal)
      let answer: unknown
      isSkipped = !(await leases!.hold(name, signal, async (held) => {
        answer = await job.run(held)
      }))
      return answer
    }

    function ended(error: unknown, tookMs: number): void {
      lastEndMs = clock.nowMs()
      const outcome = error !== null ? 'failed' : isSkipped ? 'skipped' : 'ok'
      isSkipped = false
      counted.ended(name, outcome, tookMs)
      if (outcome === 'failed') {
        if (why === null) logger.warn({ err: error, job: name }, 'job failed; will retry')
        why = error instanceof Error ? error.message : String(error)
        return
      }
      if (why !== null) logger.info({ job: name }, 'job recovered')
      why = null
      if (outcome === 'skipped') return
      lastSuccessMs = lastEndMs
      counted.succeeded(name, lastSuccessMs)
    }

    const { intervalMs, idleMs } = job
    const restMs = (): number | null => {
      const ownMs = typeof intervalMs === 'function' ? intervalMs() : intervalMs
      // A failing job is retried at its own pace.
      const isIdle = ownMs !== null && idleMs !== undefined && why === null && activity?.isIdle()
      if (!isIdle) return ownMs
      return Math.max(ownMs, typeof idleMs === 'function' ? idleMs() : idleMs)
    }
    const loop = startLoop({
      ...job,
      intervalMs: intervalMs === null ? null : () => restMs()!,
      clock,
      run,
      ended,
    })
    const unlisten = job.wakeOn?.(loop.wake)
    const unlistenReturn = idleMs === undefined ? undefined : activity?.onReturn(loop.wake)

    function isLate(): boolean {
      const sinceMs = loop.runningSinceMs()
      if (sinceMs !== null) return clock.nowMs() - sinceMs > lateAfterMs
      const dueMs = restMs()
      return dueMs !== null && clock.nowMs() - lastEndMs > dueMs + lateAfterMs
    }
    return {
      name,
      wake: loop.wake,
      state: (): JobState => ({
        name,
        status: why !== null ? 'failing' : isLate() ? 'late' : 'ok',
        why,
        lastSuccessMs,
      }),
      stop: () => {
        unlisten?.()
        unlistenReturn?.()
        return loop.stop()
      },
    }
  }

  const names = new Set(table.map(({ name }) => name))
  if (names.size < table.length) throw new Error('two jobs have the same name')
  const jobs = new Map(table.map((job) => [job.name, start(job)]))
  return {
    wake: (name) => jobs.get(name)!.wake(),
    state: () => [...jobs.values()].map((job) => job.state()),
    stop: async () => {
      await Promise.all([...jobs.values()].map((job) => job.stop()))
    },
  }
}

function createJobMetrics({ registry }: Pick<Metrics, 'registry'>) {
  const registers = [registry]
  const runs = new Counter({
    name: 'pit_job_runs_total',
    help: 'Runs of background jobs by outcome; skipped: another process held the lease.',
    labelNames: ['job', 'outcome'],
    registers,
  })
  const seconds = new Histogram({
    name: 'pit_job_seconds',
    help: 'Duration of background job runs.',
    labelNames: ['job'],
    buckets: [0.01, 0.1, 1, 10, 60],
    registers,
  })
  const lastSuccess = new Gauge({
    name: 'pit_job_last_success_timestamp_seconds',
    help: 'Time of the last successful run of a background job.',
    labelNames: ['job'],
    registers,
  })
  return {
    ended(job: string, outcome: 'ok' | 'failed' | 'skipped', tookMs: number): void {
      runs.inc({ job, outcome })
      if (outcome !== 'skipped') seconds.observe({ job }, tookMs / 1000)
    },
    succeeded: (job: string, atMs: number) => lastSuccess.set({ job }, atMs / 1000),
  }
}
