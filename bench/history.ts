/**
 * Answer times of the history reads: candles, the market's overview, series of agents and wallets, curves of twenty
 * entries. On PostgreSQL, in turn: an empty store, one with no more than what is shown, and one with a year.
 * HISTORY_SCALE: share of the year and of 10,000 series (0.1); 1 has 3.7 million marks. ROUNDS: reads of each (200).
 * node scripts/build.mjs && HISTORY_SCALE=1 node dist/bench/history.js
 */
import { openHistory } from '@pit/history'
import { CANDLE_INTERVALS, type CandleInterval, readCandles, readOverview } from '@pit/market'
import { type Db, migrate, openDb, storeMigrations } from '@pit/platform/db'
import { createManualClock } from '@pit/platform/test/manualClock'
import { findPostgres, startPostgres } from '@pit/platform/test/postgresServer'

const SCALE = Number(process.env['HISTORY_SCALE'] ?? 0.1)
const ROUNDS = Number(process.env['ROUNDS'] ?? 200)
const LIMIT = 2
const [MINUTE_S, HOUR_S, DAY_S] = [60, 3_600, 86_400]
const NOW_S = Math.floor(1_795_000_000 / DAY_S) * DAY_S
const YEAR_DAYS = Math.max(100, Math.round(365 * SCALE))
const TOKENS = Array.from({ length: 7 }, (_, i) => `0x${String(i + 1).repeat(40)}` as const)
const TOKEN = { symbol: 'ETH', address: TOKENS[0]!, decimals: 18 }

interface Content {
  tokens: number
  markDays: number
  candleDays: number
  series: number
}
const STORES: Record<string, Content> = {
  empty: { tokens: 0, markDays: 0, candleDays: 0, series: 0 },
  shown: { tokens: 1, markDays: 3, candleDays: 100, series: 20 },
  year: { tokens: 7, markDays: YEAR_DAYS, candleDays: YEAR_DAYS, series: Math.round(10_000 * SCALE) },
}

async function fill(db: Db, { tokens, markDays, candleDays, series }: Content): Promise<void> {
  for (const token of TOKENS.slice(0, tokens)) {
    await db.query(
      `insert into marks (token, minute_s, price_e18, source, block, updated_at_s, stale)
       select $1, $2::int8 - n * 60, (2000 + n % 97) * 1000000000000000000::numeric, 'oracle_feed', 1,
         $2::int8 - n * 60, false
       from generate_series(0, $3::int8) n`,
      [token, NOW_S, (markDays * DAY_S) / MINUTE_S],
    )
    await db.query(
      `insert into pool_volumes
       select $1, $2::int8 - n * 60, 1000000000000000000 from generate_series(0, $3::int8) n`,
      [token, NOW_S, (3 * DAY_S) / MINUTE_S],
    )
    for (const [intervalS, days] of [
      [HOUR_S, Math.min(90, candleDays)],
      [DAY_S, candleDays],
    ] as const)
      await db.query(
        `insert into candles
         select $1, $4::int4, $2::int8 - n * $4::int4, 2000, 2010, 1990, 2005, 1000000
         from generate_series(1, $3::int8) n`,
        [token, NOW_S, Math.floor((days * DAY_S) / intervalS), intervalS],
      )
    await db.query('insert into candle_cursors values ($1, $2)', [token, NOW_S])
  }
  // As a series is after a year: minutes of a day, hours of a month, and days.
  for (const [stepS, chunkS, points, chunks] of [
    [MINUTE_S, HOUR_S, 60, 25],
    [HOUR_S, DAY_S, 24, 32],
    [DAY_S, 32 * DAY_S, 32, 11],
  ] as const)
    await db.query(
      `insert into history_points
       select $1::int4, $5::int8 / $2::int8 * $2::int8 - $2::int8 * c, 'agent:' || n,
         (select array_agg((i * $1::int4)::int4) from generate_series(0, $3::int4 - 1) i),
         (select array_agg(10000000000 + i) from generate_series(0, $3::int4 - 1) i)
       from generate_series(1, $6::int4) n cross join generate_series(0, $4::int4 - 1) c`,
      [stepS, chunkS, points, chunks, NOW_S, series],
    )
  await db.exec('vacuum analyze')
}

type Read = (db: Db) => Promise<unknown>
const history = (db: Db) => openHistory({ db, clock: createManualClock(NOW_S * 1_000) })
const series = Array.from({ length: 20 }, (_, i) => `agent:${i + 1}`)
const READS: Record<string, Read> = {
  overview: (db) => readOverview(db, TOKEN, { nowS: NOW_S, price: 2_000 }),
  ...Object.fromEntries(
    (Object.keys(CANDLE_INTERVALS) as CandleInterval[]).map((interval) => [
      `candles ${interval}`,
      (db: Db) => readCandles(db, TOKEN, { interval, nowS: NOW_S, price: 2_000 }),
    ]),
  ),
  ...Object.fromEntries(
    (['day', 'month', 'all'] as const).map((range) => [
      `equity ${range}`,
      (db: Db) => history(db).read(['agent:1'], range),
    ]),
  ),
  'curves of 20': (db) => history(db).read(series, 'all', NOW_S - 14 * DAY_S),
}

const bin = findPostgres()
if (!bin) throw new Error('no PostgreSQL is installed here')
const postgres = await startPostgres(bin, { jit: 'off' })
try {
  const stores: Record<string, Db> = {}
  for (const [name, content] of Object.entries(STORES)) {
    const db = await openDb({ dataDir: '', databaseUrl: await postgres.createDatabase() })
    await migrate(db, storeMigrations())
    await fill(db, content)
    stores[name] = db
  }
  const [size] = await stores['year']!.query<{ marks: number; points: number }>(
    `select (select count(*) from marks)::int8 as marks, (select count(*) from history_points)::int8 as points`,
  )
  console.log(`year: ${size!.marks} marks, ${size!.points} rows of series; median and p99 in ms`)
  for (const [what, read] of Object.entries(READS)) {
    const times: Record<string, number[]> = { empty: [], shown: [], year: [] }
    for (let round = -20; round < ROUNDS; round++)
      for (const [name, db] of Object.entries(stores)) {
        const startedMs = performance.now()
        await read(db)
        if (round >= 0) times[name]!.push(performance.now() - startedMs)
      }
    const at = (name: string, share: number) =>
      times[name]!.sort((a, b) => a - b)[Math.floor((ROUNDS - 1) * share)]!
    const text = Object.keys(stores)
      .map((name) => `${name} ${at(name, 0.5).toFixed(2)} ${at(name, 0.99).toFixed(2)}`)
      .join(', ')
    const [overEmpty, overShown] = [at('year', 0.5) / at('empty', 0.5), at('year', 0.5) / at('shown', 0.5)]
    const verdict = overEmpty <= LIMIT ? 'met' : 'MISSED'
    console.log(
      `${what}: ${text}; year/empty ${overEmpty.toFixed(2)} ${verdict}, year/shown ${overShown.toFixed(2)}`,
    )
  }
  for (const db of Object.values(stores)) await db.close()
} finally {
  await postgres.dispose()
}
