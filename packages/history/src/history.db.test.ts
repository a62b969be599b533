import { createManualClock } from '@pit/platform/test/manualClock'
import { withDb } from '@pit/platform/test/withStore'
import { DAY_S } from '@pit/protocol'
import { beforeEach, expect, it } from 'vitest'
import { type History, openHistory } from './openHistory.ts'
import { readPoints, thinPoints } from './store.ts'

const START_S = 20_000 * DAY_S
const HOUR_S = 3_600
const SERIES = Number(process.env['HISTORY_SERIES'] ?? 100)

withDb('stored history', (db) => {
  const clock = createManualClock(0)
  let history: History
  beforeEach(async () => {
    await db.query('truncate history_points')
    clock.set(START_S * 1_000)
    history = openHistory({ db, clock })
  })
  const at = (atS: number) => clock.set(atS * 1_000)
  const append = (series: string, value: number) => history.append([{ series, value: BigInt(value) }])
  const points = async (series: string, range: 'day' | 'month' | 'all' = 'day') =>
    (await history.read([series], range)).get(series) ?? []
  const thinAll = async () => {
    while ((await thinPoints(db, Math.floor(clock.nowMs() / 1_000), 7)) > 0);
  }

  it('keeps one value per minute, also from two processes', async () => {
    const other = openHistory({ db, clock })
    await append('a', 1)
    await Promise.all([append('a', 2), other.append([{ series: 'a', value: 3n }])])
    at(START_S + 61)
    await Promise.all([
      append('a', 4),
      other.append([
        { series: 'a', value: 4n },
        { series: 'b', value: 9n },
      ]),
    ])
    expect(await points('a')).toEqual([
      [START_S, 1],
      [START_S + 60, 4],
    ])
    expect(await history.read(['a', 'b', 'none'], 'day')).toEqual(
      new Map([
        [
          'a',
          [
            [START_S, 1],
            [START_S + 60, 4],
          ],
        ],
        ['b', [[START_S + 60, 9]]],
      ]),
    )
  })

  it('thins minutes to hours and hours to days, each by its last value', async () => {
    // 40 days, a point every 20 minutes, and a second series that ended early.
    const rows: [number, string, number[], number[]][] = []
    for (let hour = 0; hour < 40 * 24; hour++) {
      const offsets = [0, 1_200, 2_400]
      rows.push([START_S + hour * HOUR_S, 'a', offsets, offsets.map((_, i) => hour * 3 + i)])
      if (hour < 30) rows.push([START_S + hour * HOUR_S, 'b', [60], [hour]])
    }
    for (const [chunk, series, offsets, amounts] of rows) {
      await db.query('insert into history_points values (60, $1, $2, $3::int4[], $4::int8[])', [
        chunk,
        series,
        offsets,
        amounts,
      ])
    }
    const nowS = START_S + 40 * DAY_S
    at(nowS)
    const day = await points('a')
    await thinAll()
    expect(await points('a')).toEqual(day)
    expect(day).toHaveLength(72)
    const month = await points('a', 'month')
    expect(month.length).toBeLessThanOrEqual(500)
    expect(month.at(-1)).toEqual(day.at(-1))
    expect(await points('a', 'all')).toHaveLength(500)
    const all = (await readPoints(db, ['a'], { range: 'all', nowS, sinceS: 0 })).get('a')!
    expect(all[0]).toEqual([START_S + 23 * HOUR_S + 2_400, 24 * 3 - 1])
    // The ninth day is still stored by the hour.
    expect(all[9]).toEqual([START_S + 9 * DAY_S + 2_400, (9 * 24 + 1) * 3 - 1])
    expect(all.every(([atS], i) => i === 0 || atS > all[i - 1]![0])).toBe(true)
    expect(await points('b', 'all')).toEqual([
      [START_S + 23 * HOUR_S + 60, 23],
      [START_S + 29 * HOUR_S + 60, 29],
    ])
    expect(
      await db.query('select step_s, count(*)::int4 as rows from history_points group by 1 order by 1'),
    ).toEqual([
      { step_s: 60, rows: 24 },
      { step_s: 3_600, rows: 30 },
      { step_s: 86_400, rows: 2 },
    ])
    expect((await history.read(['a'], 'all', nowS - HOUR_S)).get('a')).toHaveLength(3)
  })

  it('adds thinned points to a chunk that has some', async () => {
    for (let hour = 0; hour < 3; hour++) {
      at(START_S + hour * HOUR_S + 30)
      await append('a', hour)
      at(START_S + hour * HOUR_S + DAY_S + 2 * HOUR_S)
      await thinAll()
    }
    expect(await points('a', 'month')).toEqual([0, 1, 2].map((hour) => [START_S + hour * HOUR_S, hour]))
    expect(await db.query('select 1 from history_points')).toHaveLength(1)
  })

  it('takes about 45 kB for a year of one series', async () => {
    await db.query(
      `insert into history_points
       select step_s, chunk_s, 'book:' || n,
         (select array_agg((i * step_s)::int4) from generate_series(0, points - 1) i),
         (select array_agg(10000000000 + i) from generate_series(0, points - 1) i)
       from generate_series(1, $1::int4) n
       cross join (select 60 as step_s, 3600::int8 * c as chunk_s, 60 as points from generate_series(0, 24) c
         union all select 3600, 86400::int8 * c, 24 from generate_series(0, 31) c
         union all select 86400, 2764800::int8 * c, 32 from generate_series(0, 10) c) as chunks`,
      [SERIES],
    )
    const [size] = await db.query<{ rows: number; bytes: number }>(
      `select count(*)::int8 as rows, pg_total_relation_size('history_points') as bytes from history_points`,
    )
    expect(size!.rows / SERIES).toBe(68)
    expect(size!.bytes / SERIES).toBeLessThan(50_000)
    if (process.env['HISTORY_SERIES']) console.info(size)
  })
})
