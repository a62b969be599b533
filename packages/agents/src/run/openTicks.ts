import { randomUUID } from 'node:crypto'
import type { Mark } from '@pit/market'
import { type Loop, startLoop, withinMs } from '@pit/platform/clock'
import type { Job } from '@pit/platform/jobs'
import { type CapabilityJobs, sweepJob } from '@pit/platform/jobs'
import { lower } from '@pit/protocol'
import type { HostedDeps } from '../deps.ts'
import type { Cash } from '../paper/deps.ts'
import { createMissedRounds } from '../signed/missedRounds.ts'
import { createOrderMarket } from '../signed/ordersInput.ts'
import { meetRound } from '../signed/wake.ts'
import type { RunDeps, TickOptions } from './deps.ts'
import { createMarkHistory } from './history.ts'
import { claimAgents, nextDueMs, RENEW_MS, renewLeases, takeDue } from './leases.ts'
import { createTickMetrics } from './metrics.ts'
import { findNextHolds } from './nextHolds.ts'
import { openQueue, QUEUES, type QueueName, type TickJob, type TickQueue } from './queue.ts'
import { runTicks } from './runTicks.ts'
import { sweepRun } from './settle.ts'
import { createTokenHolds } from './tokenHolds.ts'

export interface Ticks {
  /** Jobs that queue due ticks and run them. */
  jobs: CapabilityJobs
  /** Waits for running ticks, after the jobs have stopped. */
  close(): Promise<void>
  /** Queues due ticks and waits until all of them have run; for tests with their own clock. */
  drain(): Promise<void>
  sweep(): Promise<void>
  /** Applies new rounds of feeds to the triggers of signed orders. */
  meetRounds(marks: readonly Mark[]): Promise<void>
  nextHolds: HostedDeps['nextHolds']
}

/** How often a process looks for due agents and for jobs queued by other processes. */
const LOOK_MS = 400
/** An idle process has no active agent; the request that makes one wakes it. */
const LOOK_IDLE_MS = 5_000
/** The same for queues of the embedded store: only this process fills them, and wakes its own lanes. */
const LOOK_OWN_MS = 5_000
const IDLE_MS = 30_000
/** Agents per quick job: enough to share reads, few enough to spread over processes. */
const QUICK_BATCH = 25
const TAKEN_AT_ONCE = 200
/** Concurrent quick jobs: one decides while another waits for the store. */
const QUICK_LANES = 2
const SLOW_LANES = 32
const LIVE_LANES = 16
const NAMES = Object.keys(QUEUES) as QueueName[]
/** Maximum queue length; beyond it agents stay due, so that queued jobs do not become stale. */
const MAX_WAITING = { quick: 8, slow: 64, live: 64 } as const
const STOP_WAIT_MS = 15_000
const ROUNDS_RETRY_MS = 1_000
const ROUNDS_AT_ONCE = 50
/** More are dropped, the oldest first, while the store is away; ticks look at the newest anyway. */
const MAX_ROUNDS = 2_000

/** Runs hosted agents; several processes share the due agents. */
export function openTicks(options: TickOptions): Ticks {
  const { db, clock, logger, workerId, profile } = options
  const deps: RunDeps = {
    ...options,
    usdg: cashOf(profile),
    manager: lower(profile.delegation.delegation_manager),
    core: new Set(profile.core_tokens.map(({ address }) => lower(address))),
    history: createMarkHistory(options),
    findTokenHold: createTokenHolds(options),
    orderMarket: createOrderMarket(options),
    tickMetrics: createTickMetrics(options.metrics),
  }
  const slow = options.concurrency ?? SLOW_LANES
  const lanes = { quick: QUICK_LANES, slow, live: Math.min(slow, LIVE_LANES) }
  const empty = () => new Set<Promise<void>>()
  const running = { quick: empty(), slow: empty(), live: empty() }
  const missedRounds = createMissedRounds(options)
  /** Leases this process holds now. */
  const claims = new Set<string>()
  const wakes = new Set<() => void>()
  let opening: Promise<TickQueue> | undefined
  let renewing: Loop | undefined

  const queueOf = () => {
    opening ??= openQueue({ db, logger }).catch((error) => {
      opening = undefined
      throw error
    })
    return opening
  }

  const wakeAll = () => {
    for (const wake of wakes) wake()
  }

  /** Queues due agents while the queue has room; returns how many. */
  async function schedule(): Promise<number> {
    const dueMs = await nextDueMs(db)
    // Its triggers wait for prices as fresh as in use.
    if (dueMs !== Number.POSITIVE_INFINITY) await options.activity?.note()
    if (dueMs > clock.nowMs()) return 0
    const queue = await queueOf()
    const waiting = await Promise.all(NAMES.map((name) => queue.waiting(name)))
    const queues = NAMES.filter((name, i) => waiting[i]! < MAX_WAITING[name])
    if (queues.length === 0) return 0
    const token = `queued ${randomUUID()}`
    const count = await db.transaction(async (sql) => {
      const running = [...claims]
      const due = await takeDue(sql, { nowMs: clock.nowMs(), token, limit: TAKEN_AT_ONCE, queues, running })
      const jobsOf = (name: QueueName, size: number): TickJob[] => {
        const agents = due.filter(({ queue: own }) => own === name).map(({ id, dueMs }) => ({ id, dueMs }))
        return chunksOf(agents, size).map((some) => ({ token, agents: some }))
      }
      await queue.add(sql, 'quick', jobsOf('quick', QUICK_BATCH))
      await queue.add(sql, 'slow', jobsOf('slow', 1))
      await queue.add(sql, 'live', jobsOf('live', 1))
      return due.length
    })
    if (count > 0) wakeAll()
    return count
  }

  /** Takes jobs while lanes are free; returns how many. */
  async function takeJobs(name: QueueName): Promise<number> {
    const free = lanes[name] - running[name].size
    if (free <= 0) return 0
    const queue = await queueOf()
    const jobs = await queue.take(name, free)
    for (const { id, job } of jobs) {
      const work = runJob(job)
        .catch((error) =>
          logger.error({ err: error }, 'a batch of ticks failed; another worker takes them over'),
        )
        // Done in any case: leases decide which agents still have to tick.
        .then(() => queue.done(name, [id]))
        .catch((error) => logger.warn({ err: error }, 'failed to remove a finished job from the queue'))
        .finally(() => {
          running[name].delete(work)
          wakeAll()
        })
      running[name].add(work)
    }
    return jobs.length
  }

  async function runJob({ token, agents }: TickJob): Promise<void> {
    const claim = `${workerId} ${randomUUID()}`
    claims.add(claim)
    try {
      const due = new Map(agents.map(({ id, dueMs }) => [id, dueMs]))
      const claimed = await claimAgents(db, { nowMs: clock.nowMs(), token, claim, due })
      if (claimed.length > 0) await runTicks(deps, claimed)
    } finally {
      claims.delete(claim)
    }
  }

  /**
   * Not one of the scheduled jobs: running ticks must renew their leases until they end, after the jobs stop.
   */
  const startRenewing = (): Loop =>
    startLoop({
      clock,
      intervalMs: RENEW_MS,
      firstAfterMs: RENEW_MS,
      maxRetryMs: RENEW_MS,
      run: async () => {
        if (claims.size > 0) await renewLeases(db, [...claims], clock.nowMs())
      },
      ended(error) {
        if (error !== null) logger.warn({ err: error }, 'failed to renew tick leases')
      },
    })

  const takeEveryMs = db.engine === 'pglite' ? LOOK_OWN_MS : LOOK_MS
  const jobOf = (
    name: string,
    { everyMs, idleMs }: { everyMs: number; idleMs: number },
    step: () => Promise<number>,
  ): Job => ({
    name,
    intervalMs: everyMs,
    idleMs,
    maxRetryMs: LOOK_MS,
    run: async () => ((await step()) > 0 ? 'more' : 'done'),
    wakeOn(wake) {
      wakes.add(wake)
      return () => wakes.delete(wake)
    },
  })

  async function meetRounds(marks: readonly Mark[]): Promise<void> {
    let isAny = false
    let unread: unknown = null
    for (const mark of marks) {
      // The newest round does not wait for missed ones: they are read again.
      const missed = await missedRounds.before(mark).catch((error: unknown) => {
        unread = error
        return null
      })
      for (const round of [...(missed ?? []), mark])
        isAny = (await meetRound(db, round, clock.nowMs())) || isAny
      if (missed) missedRounds.seen(mark)
    }
    if (isAny) wakeAll()
    if (unread !== null) throw unread
  }

  /** Rounds that no statement has seen yet; after a failure they are seen again. */
  const rounds: Mark[] = []
  const roundsJob: Job = {
    name: 'meet feed rounds',
    intervalMs: ROUNDS_RETRY_MS,
    idleMs: IDLE_MS,
    async run() {
      const marks = rounds.slice(0, ROUNDS_AT_ONCE)
      if (marks.length === 0) return 'done'
      await meetRounds(marks)
      rounds.splice(0, marks.length)
      return rounds.length > 0 ? 'more' : 'done'
    },
    wakeOn: (wake) =>
      options.market.onRounds((marks) => {
        rounds.push(...marks)
        rounds.splice(0, rounds.length - MAX_ROUNDS)
        wake()
      }),
  }

  const sweep = () => sweepRun(deps)
  const underWay = () => NAMES.flatMap((name) => [...running[name]])
  return {
    jobs: {
      everywhere: [],
      worker: [
        jobOf('schedule ticks', { everyMs: LOOK_MS, idleMs: LOOK_IDLE_MS }, schedule),
        ...NAMES.map((name) =>
          jobOf(`take ${name} ticks`, { everyMs: takeEveryMs, idleMs: IDLE_MS }, () => {
            renewing ??= startRenewing()
            return takeJobs(name)
          }),
        ),
        roundsJob,
        sweepJob('sweep hosted orders', sweep),
      ],
    },
    async close() {
      await withinMs(STOP_WAIT_MS, Promise.allSettled(underWay()), () => new Error('late')).catch(() =>
        logger.warn('running ticks did not end in time; other workers take them over'),
      )
      await renewing?.stop()
      const queue = await opening?.catch(() => undefined)
      await queue?.stop()
    },
    async drain() {
      for (;;) {
        // Running ticks occupy lanes and per-wallet slots; agents waiting for those are taken in the next
        // round.
        const idle = underWay().length === 0
        let did = await schedule()
        for (const name of NAMES) did += await takeJobs(name)
        if (idle && did === 0) return
        await Promise.race([Promise.allSettled(underWay()), clock.sleep(50)])
      }
    },
    sweep,
    meetRounds,
    nextHolds: (agent) => findNextHolds(deps, agent),
  }
}

function cashOf({ core_tokens }: TickOptions['profile']): Cash {
  const usdg = core_tokens.find(({ symbol }) => symbol === 'USDG')
  return { address: lower(usdg?.address ?? ''), decimals: usdg?.decimals ?? 0 }
}

function chunksOf<T>(all: readonly T[], size: number): T[][] {
  const chunks: T[][] = []
  for (let i = 0; i < all.length; i += size) chunks.push(all.slice(i, i + size))
  return chunks
}
