import { randomUUID } from 'node:crypto'
import type { Job } from '@pit/platform/jobs'
import { type CapabilityJobs, sweepJob } from '@pit/platform/jobs'
import { type Loop, startLoop } from '@pit/platform/loop'
import { withinMs } from '@pit/platform/withinMs'
import { type HostedDeps, lower } from '../deps.ts'
import type { Cash } from '../paper/deps.ts'
import type { RunDeps, TickOptions } from './deps.ts'
import { createMarkHistory } from './history.ts'
import { claimAgents, RENEW_MS, renewLeases, takeDue } from './leases.ts'
import { createTickMetrics } from './metrics.ts'
import { findNextHolds } from './nextHolds.ts'
import { openQueue, QUEUES, type QueueName, type TickJob, type TickQueue } from './queue.ts'
import { runTicks } from './runTicks.ts'
import { sweepRun } from './settle.ts'
import { createTokenHolds } from './tokenHolds.ts'

export interface Ticks {
  /** Schedule what is due, and take it. */
  jobs: CapabilityJobs
  /** Waits for what is under way, once the jobs have stopped. */
  close(): Promise<void>
  /** Schedules what is due and waits until all of it has run: tests own the time. */
  drain(): Promise<void>
  sweep(): Promise<void>
  nextHolds: HostedDeps['nextHolds']
}

/** How often a process looks for agents that are due, and for queued jobs of others. */
const LOOK_MS = 400
/** Agents of one quick job: enough to share reads, few enough to spread. */
const QUICK_BATCH = 25
const TAKEN_AT_ONCE = 200
/** Quick jobs that run at once: one decides while another waits for the store. */
const QUICK_LANES = 2
const SLOW_LANES = 32
const LIVE_LANES = 16
const NAMES = Object.keys(QUEUES) as QueueName[]
/** More than this waits for no worker: agents stay due instead, and the queue never holds what is stale. */
const MAX_WAITING = { quick: 8, slow: 64, live: 64 } as const
const STOP_WAIT_MS = 15_000

/** Runs hosted agents: this process takes its share of what is due, whichever other processes do the same. */
export function openTicks(options: TickOptions): Ticks {
  const { db, clock, logger, workerId, profile } = options
  const deps: RunDeps = {
    ...options,
    usdg: cashOf(profile),
    manager: lower(profile.delegation.delegation_manager),
    core: new Set(profile.core_tokens.map(({ address }) => lower(address))),
    history: createMarkHistory(options),
    findTokenHold: createTokenHolds(options),
    counted: createTickMetrics(options.metrics),
  }
  const slow = options.concurrency ?? SLOW_LANES
  const lanes = { quick: QUICK_LANES, slow, live: Math.min(slow, LIVE_LANES) }
  const empty = () => new Set<Promise<void>>()
  const running = { quick: empty(), slow: empty(), live: empty() }
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

  /** Queues what is due, as much as the queue has room for; answers how many agents. */
  async function schedule(): Promise<number> {
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

  /** Takes jobs while lanes are free; answers how many. */
  async function takeJobs(name: QueueName): Promise<number> {
    const free = lanes[name] - running[name].size
    if (free <= 0) return 0
    const queue = await queueOf()
    const jobs = await queue.take(name, free)
    for (const { id, job } of jobs) {
      const work = runJob(job)
        .catch((error) => logger.error({ err: error }, 'a batch of ticks failed; they are taken over'))
        // Whatever became of it: the agents' leases tell who still has to tick.
        .then(() => queue.done(name, [id]))
        .catch((error) => logger.warn({ err: error }, 'a done job was not taken off the queue'))
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

  /** No row of the table: ticks under way keep their leases until they end, which is after the rows stop. */
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
        if (error !== null) logger.warn({ err: error }, 'leases of ticks were not renewed')
      },
    })

  const jobOf = (name: string, step: () => Promise<number>): Job => ({
    name,
    intervalMs: LOOK_MS,
    maxRetryMs: LOOK_MS,
    run: async () => ((await step()) > 0 ? 'more' : 'done'),
    wakeOn(wake) {
      wakes.add(wake)
      return () => wakes.delete(wake)
    },
  })

  const sweep = () => sweepRun(deps)
  const underWay = () => NAMES.flatMap((name) => [...running[name]])
  return {
    jobs: {
      everywhere: [],
      worker: [
        jobOf('schedule ticks', schedule),
        ...NAMES.map((name) =>
          jobOf(`take ${name} ticks`, () => {
            renewing ??= startRenewing()
            return takeJobs(name)
          }),
        ),
        sweepJob('sweep hosted orders', sweep),
      ],
    },
    async close() {
      await withinMs(STOP_WAIT_MS, Promise.allSettled(underWay()), () => new Error('late')).catch(() =>
        logger.warn('ticks under way did not end in time; they are taken over'),
      )
      await renewing?.stop()
      const queue = await opening?.catch(() => undefined)
      await queue?.stop()
    },
    async drain() {
      for (;;) {
        // What runs now keeps its lanes and its owner's places: what waits for them is found in the round
        // after it.
        const idle = underWay().length === 0
        let did = await schedule()
        for (const name of NAMES) did += await takeJobs(name)
        if (idle && did === 0) return
        await Promise.race([Promise.allSettled(underWay()), clock.sleep(50)])
      }
    },
    sweep,
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
