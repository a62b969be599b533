import { get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { findPostgres } from '@pit/platform/test/postgresServer'
import { until } from '@pit/platform/test/until'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectNothingLost, expectSame } from './fleet/agreement.ts'
import { faultsOf } from './fleet/faults.ts'
import { type Load, startLoad } from './fleet/load.ts'
import { hasProxy } from './fleet/proxyProcess.ts'
import { createRecord, type Outcome } from './fleet/recordedCalls.ts'
import { APIS, type FleetWorld, isApi, isWhole, JOBS, openFleet, type ServerName } from './fleet/world.ts'
import { seedAgents } from './hosted/seedAgents.ts'
import { hasRedis } from './redisProcess.ts'
import type { Trader } from './trading/trader.ts'

/**
 * The topology of deploy/: HAProxy with the shipped file, three API processes, two for jobs, signer, two
 * PostgreSQL, Redis and a chain. Every request of every client is recorded, and none is retried. The suite
 * restarts one process of each kind and injects two faults. FLEET_S=60 npx vitest run e2e/fleet.test.ts
 * restarts and breaks every part, with a minute instead of seconds; FLEET_DRAIN_S=0 shows why draining is
 * needed.
 */
const FAULT_S = Number(process.env['FLEET_S'] ?? 3)
const RESTARTED: readonly ServerName[] = isWhole ? [...APIS, ...JOBS] : ['api1', 'jobs1']
const DRAIN_S = Number(process.env['FLEET_DRAIN_S'] ?? 2)
const INTERVAL_S = 10
/** Node or store were slower than a request may wait: caused by the machine and not by a restart. */
const TOO_SLOW = ['RPC_UNAVAILABLE', 'LIVE_UNAVAILABLE']
const MAX_SLOW_SHARE = 0.005
const PATIENCE_MS = 600_000 + 20 * FAULT_S * 1_000

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
    try {
      await load?.stop()
    } finally {
      await world?.close()
    }
  }, 60_000)

  /** Waits until every kind of client has finished whole rounds that began after now. */
  async function untilAllWork(): Promise<void> {
    const before = load.rounds()
    await until(() => Object.entries(load.rounds()).every(([name, n]) => n >= before[name]! + 2), {
      withinMs: 240_000,
      everyMs: 50,
      said: () => ({ before, now: load.rounds(), failed: failuresSince(Date.now() - 3_000) }),
    })
  }
  const failuresSince = (sinceMs: number): Outcome[] =>
    record.outcomes.filter(({ endedMs, status }) => endedMs >= sinceMs && (status === null || status >= 400))

  /**
   * On SIGTERM it reports the stop at once and still accepts connections, because a proxy needs a second to
   * notice.
   */
  async function drains(name: ServerName): Promise<boolean> {
    await until(async () => !(await world.isReady(name)), { everyMs: 5 })
    const url = `${world.server(name).url}/api/v1/health`
    return new Promise((resolve) => {
      const request = get(url, { agent: false }, (answer) => resolve(answer.resume().statusCode === 200))
      request.once('error', () => resolve(false))
    })
  }

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
    'restarts every process one after another under load: nothing fails, is lost or done twice',
    async () => {
      await untilAllWork()
      const startedMs = Date.now()
      const took: { [name: string]: number } = {}
      const undrained: string[] = []
      const restart = async (name: string, run: () => Promise<void>) => {
        const beganMs = Date.now()
        await run()
        took[name] = Date.now() - beganMs
        await untilAllWork()
      }
      for (const name of RESTARTED)
        await restart(name, async () => {
          const stopped = world.server(name).stop()
          if (isApi(name) && !(await drains(name))) undrained.push(name)
          await stopped
          await world.startServer(name)
          await world.untilReady(name)
        })
      await restart('signer', async () => {
        await world.signer().stop()
        await world.startSigner()
      })
      await restart('haproxy', () => world.proxy.reload())
      const gapMs = await widestGapMs(startedMs)
      const all = failuresSince(startedMs)
      const failed = all.filter(({ code }) => !TOO_SLOW.includes(code ?? ''))
      const slow = all.length - failed.length
      const requestCount = record.outcomes.filter(({ startedMs: at }) => at >= startedMs).length
      console.log(
        `rolling restart (ms): ${JSON.stringify(took)}; ${requestCount} requests, ${failed.length} failed, ` +
          `${slow} refused as too slow a machine; ${load.signed.length} trades; ` +
          `widest gap of ticks ${gapMs} ms at ${INTERVAL_S} s; failed: ${JSON.stringify(countOf(failed))}; ` +
          `refused new connections at shutdown: ${JSON.stringify(undrained)}`,
      )
      expect(undrained).toEqual([])
      expect(failed).toEqual([])
      expect(slow).toBeLessThanOrEqual(requestCount * MAX_SLOW_SHARE)
      // A skipped tick makes a gap of two intervals.
      expect(gapMs).toBeLessThan(1.5 * INTERVAL_S * 1_000)
      await expectNoTickTwice()
      await expectNothingLost(world, load.signed)
    },
    PATIENCE_MS,
  )

  it(
    'bears each fault: failures have a code or no answer, nothing accepted is lost, all recovers',
    async () => {
      await untilAllWork()
      let checked = load.signed.length
      const all = faultsOf(() => sleep(FAULT_S * 1_000))
      const faults = isWhole ? all : all.filter(({ inSuite }) => inSuite)
      for (const { name, run, mend } of faults) {
        const startedMs = Date.now()
        await run(world)
        const ranMs = Date.now() - startedMs
        await untilAllWork()
        const failed = failuresSince(startedMs)
        const lastMs = Math.max(startedMs, ...failed.map(({ endedMs }) => endedMs)) - startedMs
        const requestCount = record.outcomes.filter(({ endedMs }) => endedMs >= startedMs).length
        const gapMs = await widestGapMs(startedMs)
        console.log(
          `${name}: back after ${ranMs} ms; ${failed.length} of ${requestCount} requests failed, the last ` +
            `${lastMs} ms after it began ${JSON.stringify(countOf(failed))}; widest gap of ticks ${gapMs} ms`,
        )
        // Every failed request has a documented code, or no process was listening.
        expect(failed.filter(({ code }) => code === null)).toEqual([])
        expect(failed.filter(({ status }) => status !== null && status < 500)).toEqual([])
        // Earlier ones are checked again at the end.
        const [before, now] = [checked, load.signed.length]
        await expectNothingLost(world, load.signed.slice(before, now))
        checked = now
        await expectNoTickTwice()
        if (!mend) continue
        await mend(world)
        await untilAllWork()
      }
    },
    PATIENCE_MS,
  )

  it('answers stats and portfolios alike on every process, and ends with every trade final', async () => {
    await load.stop()
    expect(load.signed.filter(({ isDone }) => !isDone)).toEqual([])
    await expectNothingLost(world, load.signed)
    const [{ key }] = load.traders as [Trader]
    await expectSame(world, 'stats', key)
    for (const trader of load.traders) await expectSame(world, 'me/portfolio', trader.key)
  })
})

/** By the request and the received answer. */
function countOf(failed: readonly Outcome[]): { [what: string]: number } {
  const counts: { [what: string]: number } = {}
  for (const { kind, status, code } of failed) {
    const what = `${kind}: ${status ?? 'closed'} ${code}`
    counts[what] = (counts[what] ?? 0) + 1
  }
  return counts
}
