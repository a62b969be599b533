import type { Address } from '@pit/chain'
import { createManualClock } from '@pit/platform/test/manualClock'
import { withDb } from '@pit/platform/test/withStore'
import { type ChainProfile, DAY_S } from '@pit/protocol'
import { beforeEach, expect, it } from 'vitest'
import { createCandleKeeper } from './keepCandles.ts'
import { type CandleInterval, readCandles } from './readCandles.ts'
import { readOverview } from './readOverview.ts'
import { addVolumes } from './store.ts'

const START_S = 20_000 * DAY_S
const HOUR_S = 3_600
/** A year by hand: CANDLE_DAYS=365 */
const DAYS = Number(process.env['CANDLE_DAYS'] ?? 10)
const TOKEN: Address = `0x${'0a'.repeat(20)}`
const token = { address: TOKEN, decimals: 6 }
const profile = { core_tokens: [token] } as unknown as ChainProfile

withDb('candles', (db) => {
  beforeEach(() => db.exec('truncate marks, candles, candle_cursors, pool_volumes'))
  const clock = createManualClock(0)
  const addMarks = (fromS: number, toS: number, { stale = false, price = '100 + (m / 60) % 7' } = {}) =>
    db.query(
      `insert into marks (token, minute_s, price_e18, source, block, updated_at_s, stale)
       select $1, m, (${price}) * 1000000000000000000::numeric, 'oracle_feed', 1, m, $4
       from generate_series($2::int8, $3::int8, 60) m`,
      [TOKEN, fromS, toS, stale],
    )
  const swap = (minuteS: number, atoms: bigint) =>
    addVolumes(db, [{ token: TOKEN, block: 1, minuteS, atoms }])
  const keep = async (nowS: number) => {
    clock.set(nowS * 1_000)
    // Each its own process: both write the same hours.
    const keepers = [1, 2].map(() => createCandleKeeper({ db, clock, profile }))
    await Promise.all(keepers.map(({ run }) => run(new AbortController().signal)))
  }
  const read = (interval: CandleInterval, nowS: number, price: number | null = null) =>
    readCandles(db, token, { interval, nowS, price })
  const volumeOf = (bars: readonly { volumeMicroUsd: number | null }[]) =>
    bars.reduce((sum, { volumeMicroUsd }) => sum + (volumeMicroUsd ?? 0), 0)

  it('are the same before and after their hours are stored, and their volumes add up', async () => {
    const nowS = START_S + 5 * HOUR_S + 1_830
    await addMarks(START_S, nowS)
    for (let at = START_S; at < nowS; at += 540) await swap(at, 3_000_000n)
    const intervals = ['1m', '5m', '1h', '1d'] as const
    const before = await Promise.all(intervals.map((interval) => read(interval, nowS)))
    await keep(nowS)
    expect(await Promise.all(intervals.map((interval) => read(interval, nowS)))).toEqual(before)
    const [minutes, , hours, days] = before
    expect([minutes!.length, before[1]!.length, hours!.length, days!.length]).toEqual([331, 67, 6, 1])
    for (const bars of before) expect(volumeOf(bars)).toBe(volumeOf(minutes!))
    expect(volumeOf(minutes!)).toBeGreaterThan(0)
    expect(await db.query('select 1 from candles where interval_s = 3600')).toHaveLength(5)
    expect(await db.query('select 1 from candles where interval_s = 86400')).toHaveLength(0)
  })

  it('store an ended day, keep it when its hours and minutes are deleted', async () => {
    const nowS = START_S + 2 * DAY_S + HOUR_S
    await addMarks(START_S, nowS)
    await swap(START_S + 60, 5_000_000n)
    await keep(nowS)
    const days = await read('1d', nowS)
    expect(days.map(({ startS }) => startS)).toEqual([START_S, START_S + DAY_S, START_S + 2 * DAY_S])
    await addMarks(START_S + 91 * DAY_S, START_S + 93 * DAY_S)
    for (let run = 0; run < 3; run++) await keep(START_S + 93 * DAY_S + 300)
    expect(await db.query('select 1 from candles where interval_s = 3600 and start_s < $1', [nowS])).toEqual(
      [],
    )
    expect(await db.query('select 1 from pool_volumes')).toEqual([])
    expect((await read('1d', START_S + 93 * DAY_S + 300)).slice(0, 2)).toEqual(days.slice(0, 2))
  })

  it('leave out gaps and stale marks, and end at the current price', async () => {
    await addMarks(START_S, START_S + 120)
    await addMarks(START_S + 180, START_S + 240, { stale: true })
    await addMarks(START_S + 600, START_S + 660)
    const nowS = START_S + 690
    const bars = await read('1m', nowS, 250)
    expect(bars.map(({ startS }) => startS - START_S)).toEqual([0, 60, 120, 600, 660])
    expect(bars.at(-1)).toMatchObject({ close: 250, high: 250, volumeMicroUsd: null })
    expect((await read('5m', nowS + 900, 250)).at(-1)).not.toMatchObject({ close: 250 })
  })

  it('make at most 500, the newest', async () => {
    const nowS = START_S + 12 * HOUR_S
    await addMarks(START_S, nowS)
    const bars = await read('1m', nowS)
    expect(bars).toHaveLength(500)
    expect(bars.at(-1)!.startS).toBe(nowS)
  })

  it('give the overview of a day', async () => {
    const nowS = START_S + 3 * DAY_S + 45
    await addMarks(START_S, nowS - 45, { price: `100 + (m - ${START_S}) / 3600` })
    await swap(nowS - 45 - HOUR_S, 2_000_000n)
    await keep(nowS)
    const day = await readOverview(db, token, { nowS, price: 171 })
    // From 148 dollars 24 hours ago.
    expect(day).toMatchObject({ price: 171, isStale: false, changePct: 15.5405, low: 148, high: 172 })
    expect(day!.volumeMicroUsd).toBe(2 * 171_000_000)
    expect(day!.spark.length).toBeLessThanOrEqual(48)
    expect(day!.spark.at(-1)).toEqual([nowS, 171])
    await db.query('update marks set stale = true')
    await db.query('truncate candles')
    expect(await readOverview(db, token, { nowS, price: null })).toMatchObject({
      price: 172,
      isStale: true,
      high: null,
    })
    expect(await readOverview(db, token, { nowS: nowS + 9 * DAY_S, price: null })).toBeNull()
  })

  it(`are read in bounded time with ${DAYS} days of marks`, async () => {
    const timed = async (nowS: number) => {
      const times: number[] = []
      for (let n = 0; n < 5; n++) {
        const startedMs = performance.now()
        for (const interval of ['1m', '5m', '1h', '1d'] as const) await read(interval, nowS)
        await readOverview(db, token, { nowS, price: 100 })
        times.push(performance.now() - startedMs)
      }
      return times.sort((a, b) => a - b)[2]!
    }
    const nowS = START_S + DAYS * DAY_S
    await addMarks(nowS - 3 * DAY_S, nowS)
    await keep(nowS)
    await db.exec('analyze')
    const small = await timed(nowS)
    await db.exec('truncate marks, candles, candle_cursors')
    await addMarks(START_S, nowS)
    for (let run = 0; run < Math.ceil(DAYS / 50) + 1; run++) await keep(nowS)
    await db.exec('analyze')
    const large = await timed(nowS)
    if (process.env['CANDLE_DAYS']) console.info({ days: DAYS, smallMs: small, largeMs: large })
    expect((await read('1d', nowS)).length).toBe(Math.min(500, DAYS + 1))
    expect(large).toBeLessThan(10 * small + 100)
  })
})
