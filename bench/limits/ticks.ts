import { readFileSync, rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Db, openDb } from '@pit/platform/db'
import type { Closing } from '@pit/platform/process'
import type { ChainProfile } from '@pit/protocol'
import { startDevnetProcess } from '../../e2e/devnetProcess.ts'
import { seedAgents } from '../../e2e/hosted/seedAgents.ts'
import { tradingEnv } from '../../e2e/trading/world.ts'
import { newServerDirectory } from '../../packages/platform/test/serverStore.ts'
import { migrateStore } from '../../packages/server/src/migrateStore.ts'
import type { Measured } from './climb.ts'
import { type CpuUse, startCpu, type Watched } from './cpu.ts'
import { pin, type Setup } from './setups.ts'
import { openPostgresStore, startReady, watchedPostgres, watchedServers } from './world.ts'

/** How many agents are due at once, for each second of a step. */
const AGENTS_PER_STEP_S = 1_000
/** None is due a second time. */
const INTERVAL_S = 3_600
const MAX_BURST_S = 120
const LOOK_EVERY_MS = 100
/** Measured between these parts of all ticks: before, caches fill; after, the queue runs empty. */
const [FIRST_PART, LAST_PART] = [0.1, 0.9]

/**
 * Paper agents, all due at once, and as many job processes as the setup has API processes. There are no
 * clients to add: the queue is full from the beginning, so the rate is the limit.
 */
export async function measureTicks(
  setup: Setup,
  { closing, stepS, tell }: { closing: Closing; stepS: number; tell(line: string): void },
): Promise<Measured> {
  const devnet = await startDevnetProcess({ MARKET: 'on' })
  closing.add(() => devnet.stop())
  const profile = JSON.parse(readFileSync(devnet.profileFile, 'utf8')) as ChainProfile
  const postgres = setup.store === 'postgres' ? await openPostgresStore(closing) : null
  const databaseUrl = postgres ? await postgres.createDatabase() : null
  const dataDir = postgres ? '' : await newServerDirectory()
  closing.add(() => dataDir && rmSync(dataDir, { recursive: true, force: true }))
  const count = Math.round(AGENTS_PER_STEP_S * stepS)
  await inStore({ dataDir, databaseUrl }, async (db) => {
    await migrateStore(db)
    await seedAgents(db, profile, {
      ...{ count, intervalS: INTERVAL_S, nowMs: Date.now() },
      brains: ['dca', 'momentum', 'mean_reversion', 'grid', 'rebalance'],
      pairs: ['ETH/USDG', 'cbBTC/USDG', 'PARTNER/USDG'],
    })
  })

  const store: Record<string, string> = databaseUrl ? { DATABASE_URL: databaseUrl } : { DATA_DIR: dataDir }
  const workers = await Promise.all(
    Array.from({ length: setup.apis }, async () => {
      const worker = await startReady({ ...tradingEnv(devnet), ...store, ROLE: 'jobs' }, closing)
      pin(worker.pid, setup)
      return worker
    }),
  )
  const watched = [
    ...watchedServers(workers),
    { name: 'devnet', pid: devnet.pid },
    ...(postgres ? [watchedPostgres(postgres)] : []),
    { name: 'client', pid: process.pid },
  ]
  const burst = await watchBurst(
    workers.map(({ metricsPort }) => metricsPort),
    { count, watched },
  )
  const perS = burst.done / burst.seconds
  tell(`  ${count} agents due: ${perS.toFixed(0)} ticks a second, ${burst.failed} failed`)
  return {
    best: {
      ...{ clients: count, perS, p50Ms: Number.NaN, p99Ms: Number.NaN, cpu: burst.cpu },
      refused: burst.failed > 0 ? { 'failed ticks': burst.failed } : {},
    },
    broke: burst.failed > 0 ? `${burst.failed} ticks failed` : 'the queue was full throughout',
  }
}

async function watchBurst(
  ports: readonly number[],
  { count, watched }: { count: number; watched: readonly Watched[] },
): Promise<{ done: number; failed: number; seconds: number; cpu: CpuUse }> {
  const endMs = performance.now() + MAX_BURST_S * 1_000
  const untilDone = async (part: number): Promise<Counted & { at: number }> => {
    for (;;) {
      const counted = await countTicks(ports)
      const at = performance.now()
      if (counted.done + counted.failed >= count * part || at > endMs) return { ...counted, at }
      await sleep(LOOK_EVERY_MS)
    }
  }
  const first = await untilDone(FIRST_PART)
  const endCpu = startCpu(watched)
  const last = await untilDone(LAST_PART)
  const cpu = endCpu()
  if (last.done === first.done) {
    const within = `between ${first.done} and ${last.done} of ${count}`
    throw new Error(`too few ticks to measure, ${within}: use a longer LIMITS_STEP_S`)
  }
  return {
    ...{ done: last.done - first.done, failed: last.failed, cpu },
    seconds: (last.at - first.at) / 1_000,
  }
}

interface Counted {
  done: number
  failed: number
}

/** Sum of the workers' own counters. */
async function countTicks(ports: readonly number[]): Promise<Counted> {
  const counted: Counted = { done: 0, failed: 0 }
  for (const port of ports) {
    const text = await fetch(`http://127.0.0.1:${port}/metrics`).then((answer) => answer.text())
    for (const [, outcome, n] of text.matchAll(
      /^pit_hosted_tick_seconds_count\{outcome="(\w+)"\} (\S+)$/gm,
    )) {
      counted[outcome === 'error' || outcome === 'lost' ? 'failed' : 'done'] += Number(n)
    }
  }
  return counted
}

async function inStore(
  where: { dataDir: string; databaseUrl: string | null },
  use: (db: Db) => Promise<void>,
): Promise<void> {
  const db = await openDb(where)
  try {
    await use(db)
  } finally {
    await db.close()
  }
}
