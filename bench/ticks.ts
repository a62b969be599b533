/**
 * Paper agents of rule brains on a living devnet: how many ticks a second one process does when all are due
 * at once, and how late they begin when each ticks at its own time. AGENTS=10000 SECONDS=600 STORE=postgres
 * for the real thing: node scripts/build.mjs && node dist/bench/ticks.js
 */
import { readFileSync, rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDb } from '@pit/platform/db'
import { findPostgres, type PostgresServer, startPostgres } from '@pit/platform/test/postgresServer'
import type { ChainProfile } from '@pit/protocol'
import { startDevnetProcess } from '../e2e/devnetProcess.ts'
import { seedAgents } from '../e2e/hosted/seedAgents.ts'
import { freePort, startServerProcess } from '../e2e/serverProcess.ts'
import { tradingEnv } from '../e2e/trading/world.ts'
import { newServerDirectory } from '../packages/platform/test/serverStore.ts'
import { migrateStore } from '../packages/server/src/migrateStore.ts'
import { processorMs } from './check/processorMs.ts'

const AGENTS = Number(process.env['AGENTS'] ?? 200)
const INTERVAL_S = Number(process.env['INTERVAL_S'] ?? 300)
/** Duration of the second part; the first lasts until every agent has ticked. */
const SECONDS = Number(process.env['SECONDS'] ?? 30)
const STORE = process.env['STORE'] ?? 'pglite'
const WORKERS = STORE === 'postgres' ? Number(process.env['WORKERS'] ?? 1) : 1
const LATENESS_TARGET_S = 10
const BURST_MINUTES = 20
/** Workers come up and read the market before the first tick of the second part is due. */
const SETTLE_MS = 15_000
const BRAINS = ['dca', 'momentum', 'mean_reversion', 'grid', 'rebalance'] as const
const PAIRS = ['ETH/USDG', 'cbBTC/USDG', 'PARTNER/USDG']

const devnet = await startDevnetProcess({ MARKET: 'on' })
const profile = JSON.parse(readFileSync(devnet.profileFile, 'utf8')) as ChainProfile
const bin = findPostgres()
const postgres: PostgresServer | null = STORE === 'postgres' && bin ? await startPostgres(bin) : null
const databaseUrl = postgres ? await postgres.createDatabase() : null
const dataDir = postgres ? '' : await newServerDirectory()
try {
  console.log(
    `${AGENTS} agents at ${INTERVAL_S} s on ${postgres ? `PostgreSQL, ${WORKERS} workers` : 'PGlite'}`,
  )
  await withStore(async (db) => {
    await migrateStore(db)
    await seedAgents(db, profile, {
      count: AGENTS,
      intervalS: INTERVAL_S,
      brains: BRAINS,
      pairs: PAIRS,
      nowMs: Date.now(),
    })
  })
  const burst = await measure('all due at once', BURST_MINUTES * 60, ({ ticks }) => ticks >= AGENTS)
  console.log(`  ${(burst.ticks / burst.seconds).toFixed(0)} ticks a second`)
  await withStore((db) =>
    db.query(
      `update hosted_agents set lease_by = null, lease_until_ms = null,
         next_tick_ms = hosted_next_tick(id, interval_s, $1)`,
      [Date.now() + SETTLE_MS],
    ),
  )
  const steady = await measure('each at its own time', SECONDS + SETTLE_MS / 1_000, () => false)
  const due = AGENTS / INTERVAL_S
  console.log(`  ${(steady.ticks / SECONDS).toFixed(1)} ticks a second of ${due.toFixed(1)} due`)
  const met = steady.latenessP99S <= LATENESS_TARGET_S ? 'met' : 'MISSED'
  console.log(`  lateness p99 under ${steady.latenessP99S} s (at most ${LATENESS_TARGET_S} s wanted) ${met}`)
} finally {
  await devnet.stop()
  await postgres?.dispose()
  if (dataDir) rmSync(dataDir, { recursive: true, force: true })
}

async function withStore(use: (db: Awaited<ReturnType<typeof openDb>>) => Promise<unknown>): Promise<void> {
  const db = await openDb({ dataDir, databaseUrl })
  await use(db)
  await db.close()
}

interface Counted {
  ticks: number
  fills: number
  latenessP99S: number
}

/** Starts the workers, waits until they have done enough or the time is over, and returns their counts. */
async function measure(
  name: string,
  seconds: number,
  isEnough: (counted: Counted) => boolean,
): Promise<Counted & { seconds: number }> {
  const ports = await Promise.all(Array.from({ length: WORKERS }, freePort))
  const store = databaseUrl ? { DATABASE_URL: databaseUrl } : { DATA_DIR: dataDir }
  const workers = await Promise.all(
    ports.map((port) =>
      startServerProcess({
        ...tradingEnv(devnet),
        ...store,
        ROLE: 'jobs',
        METRICS_PORT: String(port),
      }),
    ),
  )
  const cpuMsNow = () => workers.reduce((sum, { pid }) => sum + processorMs(pid), 0)
  const startedAt = performance.now()
  const cpuMsBefore = cpuMsNow()
  const secondsNow = () => (performance.now() - startedAt) / 1_000
  try {
    let counted = await count(ports)
    while (secondsNow() < seconds && !isEnough(counted)) {
      await sleep(250)
      counted = await count(ports)
    }
    const took = secondsNow()
    const cpuMs = cpuMsNow() - cpuMsBefore
    const mb = workers.reduce((sum, worker) => sum + worker.rssBytes() / 1e6, 0)
    console.log(
      `${name}: ${counted.ticks} ticks, ${counted.fills} fills in ${took.toFixed(1)} s; ` +
        `${(cpuMs / counted.ticks).toFixed(2)} ms of processor time a tick, ${mb.toFixed(0)} MB`,
    )
    return { ...counted, seconds: took }
  } finally {
    for (const worker of workers) await worker.stop()
  }
}

/** Sum of the workers' own counters. */
async function count(ports: readonly number[]): Promise<Counted> {
  const texts = await Promise.all(
    ports.map((port) => fetch(`http://127.0.0.1:${port}/metrics`).then((answer) => answer.text())),
  )
  const sumOf = (pattern: RegExp): number =>
    texts.reduce(
      (sum, text) => sum + [...text.matchAll(pattern)].reduce((own, match) => own + Number(match[1]), 0),
      0,
    )
  const ticks = sumOf(/^pit_hosted_tick_lateness_seconds_count (\S+)$/gm)
  const bounds = new Map<number, number>()
  for (const text of texts) {
    for (const [, bound, n] of text.matchAll(
      /^pit_hosted_tick_lateness_seconds_bucket\{le="([\d.]+)"\} (\S+)$/gm,
    )) {
      bounds.set(Number(bound), (bounds.get(Number(bound)) ?? 0) + Number(n))
    }
  }
  const within = [...bounds].sort(([a], [b]) => a - b).find(([, n]) => n >= ticks * 0.99)
  return {
    ticks,
    fills: sumOf(/^pit_hosted_orders_total\{mode="paper",outcome="filled"\} (\S+)$/gm),
    latenessP99S: within?.[0] ?? Number.POSITIVE_INFINITY,
  }
}
