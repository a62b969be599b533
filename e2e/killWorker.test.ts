import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { replayBook } from '@pit/brains'
import { type Db, openDb } from '@pit/platform/db'
import { findPostgres, type PostgresServer, startPostgres } from '@pit/platform/test/postgresServer'
import type { ChainProfile } from '@pit/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listFills } from '../packages/agents/src/paper/store.ts'
import { migrateStore } from '../packages/server/src/migrateStore.ts'
import { type DevnetProcess, startDevnetProcess } from './devnetProcess.ts'
import { createRandom } from './fuzz/random.ts'
import { seedAgents } from './hosted/seedAgents.ts'
import { type ServerProcess, startServerProcess } from './serverProcess.ts'
import { tradingEnv } from './trading/world.ts'

// Two hundred by hand: KILLS=200 npx vitest run e2e/killWorker.test.ts
const KILLS = Number(process.env['KILLS'] ?? 3)
const SEED = Number(process.env['KILLS_SEED'] ?? 4663)
const AGENTS = 40
const INTERVAL_S = 15
const START_MICRO_USD = 10_000_000_000n
const PATIENCE_MS = 240_000 + KILLS * 60_000

/**
 * Tables whose lock holds ticks up, so that a kill interrupts them there, and the step that the lock
 * prevents.
 */
const POINTS = [
  { table: 'hosted_orders', at: 'before its decision is stored' },
  { table: 'paper_books', at: 'after its orders are stored, before they are filled' },
  { table: 'paper_fills', at: 'inside the fill' },
] as const

const bin = findPostgres()
describe.skipIf(bin === null)('two workers on PostgreSQL', () => {
  let postgres: PostgresServer
  let devnet: DevnetProcess
  let db: Db
  let locker: Db
  const workers: ServerProcess[] = []
  beforeAll(async () => {
    ;[postgres, devnet] = await Promise.all([startPostgres(bin!), startDevnetProcess({ MARKET: 'off' })])
  })
  afterAll(async () => {
    for (const worker of workers) await worker.stop()
    await db?.close()
    await locker?.close()
    await devnet?.stop()
    await postgres?.dispose()
  })

  it(
    `trade no tick twice and lose none for more than two intervals in ${KILLS} kills`,
    async () => {
      const databaseUrl = await postgres.createDatabase()
      const env = { ...tradingEnv(devnet), ROLE: 'jobs', DATABASE_URL: databaseUrl }
      const profile = JSON.parse(readFileSync(devnet.profileFile, 'utf8')) as ChainProfile
      db = await openDb({ dataDir: '', databaseUrl })
      locker = await openDb({ dataDir: '', databaseUrl })
      await migrateStore(db)
      workers.push(await startServerProcess(env))
      workers.push(await startServerProcess(env))
      const ids = await seedAgents(db, profile, {
        count: AGENTS,
        intervalS: INTERVAL_S,
        brains: ['dca'],
        params: { dca: { usd: 2 } },
        pairs: ['ETH/USDG', 'cbBTC/USDG'],
        nowMs: Date.now(),
        afterMs: Date.now(),
      })
      const random = createRandom(SEED)
      const met = new Map<string, number>()
      for (let kill = 0; kill < KILLS; kill++) {
        const point = POINTS[kill % POINTS.length]!
        const victim = random.below(2)
        const held = await killAt(workers, victim, point.table)
        met.set(point.at, (met.get(point.at) ?? 0) + held)
        workers[victim] = await startServerProcess(env)
      }
      console.log(`ticks interrupted by a kill of their worker: ${JSON.stringify([...met])}`)
      expect([...met.values()].reduce((sum, n) => sum + n, 0)).toBeGreaterThan(0)
      // Every lost tick has been taken over by now.
      await sleep(2 * INTERVAL_S * 1_000)
      await check(ids)
    },
    PATIENCE_MS,
  )

  /**
   * Holds ticks up at a table, kills the worker that runs some, releases the lock. Returns its number of
   * agents.
   */
  async function killAt(all: readonly ServerProcess[], victim: number, table: string): Promise<number> {
    const { pid } = all[victim]!
    return locker.transaction(async (sql) => {
      await sql.query(`lock table ${table} in exclusive mode`)
      const leased = async () => {
        const [row] = await sql.query<{ n: number }>(
          `select count(*) as n from hosted_agents where lease_by like '% ' || $1 || ' %'`,
          [String(pid)],
        )
        return row!.n
      }
      // Waits until ticks are blocked: one that has passed the table has time to end.
      let n = 0
      for (let i = 0; i < 40 && n === 0; i++) {
        await sleep(250)
        n = await leased()
        if (n > 0) await sleep(500)
        n = await leased()
      }
      await all[victim]!.kill()
      return n
    })
  }

  async function check(ids: readonly string[]): Promise<void> {
    const twice = await db.query(
      `select agent_id, tick, count(*) from hosted_logs where kind = 'decision' group by 1, 2
       having count(*) > 1`,
    )
    expect(twice).toEqual([])
    const orders = await db.query<{ status: string; n: number }>(
      'select status, count(*) as n from hosted_orders group by status',
    )
    // In one statement, because the workers continue meanwhile.
    const [fills] = await db.query<{ n: number; orders: number; filled: number }>(
      `select count(*) as n, count(distinct o.id) as orders,
              (select count(*) from hosted_orders where status = 'filled') as filled
       from paper_fills f left join hosted_orders o on o.fill_id = f.id and o.status = 'filled'`,
    )
    const { filled } = fills!
    console.log(`orders: ${JSON.stringify(orders)}, fills: ${JSON.stringify(fills)}`)
    // Each fill belongs to one order, and each filled order has one fill.
    expect(fills).toEqual({ n: filled, orders: filled, filled })
    expect(filled).toBeGreaterThan(AGENTS)
    // A dca agent orders once per tick: a second order, or a missing one, would show here.
    const perTick = await db.query(
      'select agent_id, tick from hosted_orders group by 1, 2 having count(*) > 1',
    )
    expect(perTick).toEqual([])
    await checkBooks(ids)
    await checkGaps()
  }

  async function checkBooks(ids: readonly string[]): Promise<void> {
    const books = await db.query<{ book_id: number }>(
      'select book_id from hosted_agents where id = any($1)',
      [ids],
    )
    const profile = JSON.parse(readFileSync(devnet.profileFile, 'utf8')) as ChainProfile
    const usdg = profile.core_tokens
      .find(({ symbol }) => symbol === 'USDG')!
      .address.toLowerCase() as `0x${string}`
    for (const { book_id } of books) {
      const fills = (await listFills(db, book_id, { limit: 10_000 })).reverse()
      const rows = await db.query<{ token: `0x${string}`; atoms: string }>(
        'select token, atoms from paper_balances where book_id = $1 and atoms > 0',
        [book_id],
      )
      const stored = new Map(rows.map(({ token, atoms }) => [token, BigInt(atoms)]))
      expect(stored).toEqual(replayBook(START_MICRO_USD, fills, usdg))
    }
  }

  /** From one tick of an agent to its next, and from its last until now. */
  async function checkGaps(): Promise<void> {
    const [widest] = await db.query<{ gap_ms: number; agents: number }>(
      `with ticks as (
         select agent_id, at_ms, lag(at_ms) over (partition by agent_id order by tick) as before_ms
         from hosted_logs
         where kind in ('decision', 'hold', 'error') and tick is not null
         union all
         select agent_id, $1, max(at_ms) from hosted_logs group by agent_id
       )
       select max(at_ms - before_ms) as gap_ms, count(distinct agent_id) as agents from ticks`,
      [Date.now()],
    )
    console.log(`widest gap between two ticks of an agent: ${widest!.gap_ms} ms at ${INTERVAL_S} s`)
    expect(widest!.agents).toBe(AGENTS)
    expect(widest!.gap_ms).toBeLessThanOrEqual(2 * INTERVAL_S * 1_000)
  }
})
