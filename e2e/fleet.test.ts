import { findPostgres } from '@pit/platform/test/postgresServer'
import { until } from '@pit/platform/test/until'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectNothingLost } from './fleet/agreement.ts'
import { type Load, startLoad } from './fleet/load.ts'
import { hasProxy } from './fleet/proxyProcess.ts'
import { createRecord, type Outcome } from './fleet/recordedCalls.ts'
import { APIS, type FleetWorld, JOBS, openFleet } from './fleet/world.ts'
import { seedAgents } from './hosted/seedAgents.ts'
import { hasRedis } from './redisProcess.ts'

/**
 * deploy/'s topology: HAProxy by its shipped file, three API processes, two for the jobs, signer, PostgreSQL twice,
 * Redis, a chain. Every request of every client is recorded, and none is tried again.
 *
 * By hand, with minutes in place of seconds: FLEET_S=60 npx vitest run e2e/fleet.test.ts; FLEET_DRAIN_S=0 shows what
 * the drain is for.
 */
const FAULT_S = Number(process.env['FLEET_S'] ?? 5)
const DRAIN_S = Number(process.env['FLEET_DRAIN_S'] ?? 2)
const INTERVAL_S = 6
const PATIENCE_MS = 240_000 + 20 * FAULT_S * 1_000

const bin = findPostgres()
describe.skipIf(bin === null || !hasRedis || !hasProxy)('the fleet', () => {
  let world: FleetWorld
  let load: Load
  const record = createRecord()

  beforeAll(async () => {
    world = await openFleet(bin!, { drainS: DRAIN_S })
    load = await startLoad(world, record)
    const nowMs = Date.now()
    await seedAgents(world.db, world.profile, {
      ...{ count: 4, intervalS: INTERVAL_S, brains: ['dca'], pairs: ['ETH/USDG'], nowMs, afterMs: nowMs },
      params: { dca: { usd: 2 } },
    })
  }, PATIENCE_MS)
  afterAll(async () => {
    await load?.stop()
    await world?.close()
  }, 60_000)

  /** Every kind of client has finished whole rounds that began after now. */
  async function untilAllWork(): Promise<void> {
    const before = load.rounds()
    await until(() => Object.entries(load.rounds()).every(([name, n]) => n >= before[name]! + 2), {
      withinMs: 60_000,
      everyMs: 50,
      said: () => ({ before, now: load.rounds(), failed: failuresSince(Date.now() - 3_000) }),
    })
  }
  const failuresSince = (sinceMs: number): Outcome[] =>
    record.outcomes.filter(({ endedMs, status }) => endedMs >= sinceMs && (status === null || status >= 400))

  async function widestGapMs(sinceMs: number): Promise<number> {
    const [row] = await world.db.query<{ gap_ms: number }>(
      `with ticks as (
         select agent_id, at_ms, lag(at_ms) over (partition by agent_id order by tick) as before_ms
         from hosted_logs where kind in ('decision', 'hold', 'error') and tick is not null
         union all
         select agent_id, $2, max(at_ms) from hosted_logs group by agent_id
       )
       select coalesce(max(at_ms - before_ms), 0) as gap_ms from ticks where at_ms >= $1`,
      [sinceMs, Date.now()],
    )
    return row!.gap_ms
  }
  async function expectNoTickTwice(): Promise<void> {
    const twice = await world.db.query(
      `select agent_id, tick from hosted_logs where kind = 'decision' group by 1, 2 having count(*) > 1
       union all select agent_id, tick from hosted_orders group by 1, 2 having count(*) > 1`,
    )
    expect(twice).toEqual([])
  }

  it(
    'restarts every process one after another under load: no request fails, no tick is lost, no trade is doubled',
    async () => {
      await untilAllWork()
      const startedMs = Date.now()
      const took: { [name: string]: number } = {}
      const restart = async (name: string, run: () => Promise<void>) => {
        const beganMs = Date.now()
        await run()
        took[name] = Date.now() - beganMs
        await untilAllWork()
      }
      for (const name of [...APIS, ...JOBS])
        await restart(name, async () => {
          await world.server(name).stop()
          await world.startServer(name)
          await world.untilReady(name)
        })
      await restart('signer', async () => {
        await world.signer().stop()
        await world.startSigner()
      })
      await restart('haproxy', () => world.proxy.reload())
      const gapMs = await widestGapMs(startedMs)
      const failed = failuresSince(startedMs)
      const asked = record.outcomes.filter(({ startedMs: at }) => at >= startedMs).length
      console.log(
        `rolling restart (ms): ${JSON.stringify(took)}; ${asked} requests, ${failed.length} failed, ` +
          `${load.signed.length} trades; widest gap of ticks ${gapMs} ms at ${INTERVAL_S} s`,
      )
      expect(failed).toEqual([])
      // A tick that was skipped makes a gap of two intervals.
      expect(gapMs).toBeLessThan(1.5 * INTERVAL_S * 1_000)
      await expectNoTickTwice()
      await expectNothingLost(world, load.signed)
    },
    PATIENCE_MS,
  )
})
