/**
 * A store with a year in it: made by set-based statements on a separate PostgreSQL, migrated while it is
 * read, vacuumed, and then every route that reads beside an empty store, in turn.
 * `YEAR_SCALE=0.01 node dist/bench/year.js`; 1 is the whole year (just under 30 GB). KEEP=1 leaves the store.
 */
import { readFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { migrate, openDb, storeMigrations } from '@pit/platform/db'
import { findPostgres, startPostgres } from '@pit/platform/test/postgresServer'
import { type ChainProfile, NATIVE_TOKEN } from '@pit/protocol'
import { startDevnetProcess } from '../e2e/devnetProcess.ts'
import { startServerProcess } from '../e2e/serverProcess.ts'
import { tradingEnv } from '../e2e/trading/world.ts'
import { copyFirstDay } from './year/copyFirstDay.ts'
import { openFilling, seconds } from './year/fill.ts'
import { fillAccounts, fillTokens } from './year/fillAccounts.ts'
import { fillAgents } from './year/fillAgents.ts'
import { fillLeague } from './year/fillLeague.ts'
import { fillSessions } from './year/fillSessions.ts'
import { fillMarks, fillPlans, fillTrades } from './year/fillTrades.ts'
import { fillTreasury } from './year/fillTreasury.ts'
import { isMissed, measure, printMeasured } from './year/measure.ts'
import { migrateWhileRead } from './year/migrateWhileRead.ts'
import { probesOf } from './year/probes.ts'
import { SEASON_S, sizeOf, type YearWorld } from './year/size.ts'
import { forgetScans, printScans, printSizes, timeVacuum } from './year/sizes.ts'

const SCALE = Number(process.env['YEAR_SCALE'] ?? 0.01)
const ROUNDS = Number(process.env['ROUNDS'] ?? 250)
/** How long the jobs run on the year's store; sweeps come every minute. */
const JOBS_S = Number(process.env['JOBS_S'] ?? 80)
/** The schema the year was lived in; what is newer is applied to the full store. */
const LIVED_AT = Number(process.env['YEAR_SCHEMA'] ?? 28)
/** A server with this much memory for pages: the year does not fit. */
const SETTINGS = {
  ...{ shared_buffers: '2GB', max_wal_size: '4GB', checkpoint_timeout: '30min', effective_cache_size: '8GB' },
  ...{ maintenance_work_mem: '512MB', autovacuum: 'off', synchronous_commit: 'off', wal_level: 'minimal' },
  ...{ max_wal_senders: '0', random_page_cost: '1.1', jit: 'off' },
}

const bin = findPostgres()
if (!bin) throw new Error('no PostgreSQL is installed here')
const size = sizeOf(SCALE, Math.floor(Date.now() / 1000))
const devnet = await startDevnetProcess({ MARKET: 'off' })
const postgres = await startPostgres(bin, SETTINGS)
try {
  await run()
} finally {
  await devnet.stop()
  if (process.env['KEEP'] === '1') {
    await postgres.stopNow()
    console.log(`the store is left in ${postgres.home}`)
  } else await postgres.dispose()
}

async function run(): Promise<void> {
  const profile = JSON.parse(readFileSync(devnet.profileFile, 'utf8')) as ChainProfile
  const core = (symbol: string) =>
    profile.core_tokens.find((token) => token.symbol === symbol)!.address.toLowerCase()
  const marked = [NATIVE_TOKEN, ...[...profile.core_tokens, ...profile.listed_stocks].map((t) => t.address)]
  const world: YearWorld = {
    ...{ size, profile, usdg: core('USDG'), eth: NATIVE_TOKEN, weth: core('WETH') },
    marked: [...new Set(marked.map((address) => address.toLowerCase()))],
    feeRecipient: profile.fee_recipient!.toLowerCase(),
  }
  console.log(`scale ${SCALE}: ${size.trades} trades, ${size.keys} keys, ${size.agents} agents`)
  const urls = { empty: await postgres.createDatabase(), year: await postgres.createDatabase() }
  const [empty, year] = await Promise.all(
    [urls.empty, urls.year].map((databaseUrl) => openDb({ dataDir: '', databaseUrl })),
  )
  const all = storeMigrations()
  await migrate(empty!, all)
  await migrate(year!, all.slice(0, LIVED_AT))
  const startedMs = performance.now()
  const filling = await openFilling(year!)
  await fillAccounts(filling, world)
  await fillTokens(filling, world)
  await fillTrades(filling, world)
  await fillPlans(filling, world)
  await fillSessions(filling, world)
  await fillAgents(filling, world)
  await fillLeague(filling, world)
  await fillMarks(filling, world)
  await fillTreasury(filling, world)
  console.log(`filled in ${seconds(startedMs)} s`)
  await timeVacuum(year!)
  await migrateWhileRead(year!, urls.year, all, size)
  await printSizes(year!)
  await copyFirstDay(year!, empty!, size)

  const firstSeason = new Date((size.weekS - (size.seasons - 1) * SEASON_S) * 1000).toISOString().slice(0, 10)
  const serve = (databaseUrl: string, role: 'api' | 'jobs') =>
    startServerProcess({
      ...tradingEnv(devnet),
      ...{ DATABASE_URL: databaseUrl, ROLE: role, LEAGUE_FIRST_SEASON: firstSeason, FAST_ENABLED: '1' },
    })
  await forgetScans(year!)
  const servers = [await serve(urls.empty, 'api'), await serve(urls.year, 'api')] as const
  try {
    const measured = await measure({ empty: servers[0].url, year: servers[1].url }, probesOf(size), ROUNDS)
    printMeasured(measured)
    console.log(`load average ${loadavg()[0]!.toFixed(1)}`)
    process.exitCode = measured.some(isMissed) ? 1 : 0
    await printScans(year!, 'the routes')
    if (JOBS_S > 0) await runJobs()
  } finally {
    for (const server of servers) await server.stop()
    await empty!.close()
    await year!.close()
  }

  /** Every job but ticks, for long enough that each sweep has its turn. */
  async function runJobs(): Promise<void> {
    await year!.query('update hosted_agents set next_tick_ms = next_tick_ms + 31536000000')
    await forgetScans(year!)
    const worker = await serve(urls.year, 'jobs')
    await sleep(JOBS_S * 1_000)
    await printScans(year!, `the jobs of ${JOBS_S} s`)
    await worker.stop()
  }
}
