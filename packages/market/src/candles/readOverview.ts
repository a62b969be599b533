import type { Address } from '@pit/chain'
import type { Sql } from '@pit/platform/db'
import { DAY_S, priceUsdOf } from '@pit/protocol'
import { marksAt, newestMarks } from '../pools/markReads.ts'
import { type Bar, extendLast, minuteBars } from './bars.ts'
import { HOUR_S, MINUTE_S, startOf } from './keepCandles.ts'
import { type CandleToken, readBars, readCursor, readMinutes } from './store.ts'

const SPARK_POINTS = 48
/** With a shorter past there is no change of a day to speak of. */
const WHOLE_DAY_S = 23 * HOUR_S

/** A token's last 24 hours. */
interface DayOverview {
  price: number
  /** The price is the last one of a closed or silent market. */
  isStale: boolean
  changePct: number | null
  high: number | null
  low: number | null
  volumeMicroUsd: number | null
  spark: [atS: number, price: number][]
}

/** Null for a token without a mark in the last week. `price` is the current mark, if it is fresh. */
export async function readOverview(
  sql: Sql,
  token: CandleToken,
  { nowS, price }: { nowS: number; price: number | null },
): Promise<DayOverview | null> {
  const { address } = token
  const dayAgoS = nowS - DAY_S
  const closedToS = (await readCursor(sql, address)) ?? nowS
  const hoursFromS = startOf(dayAgoS, HOUR_S) + HOUR_S
  const tailFromS = Math.max(startOf(closedToS, HOUR_S), dayAgoS)
  const [head, hours, tail] = await Promise.all([
    // The part of the first hour that is in the window.
    readMinutes(sql, token, { fromS: dayAgoS, beforeS: Math.min(hoursFromS, tailFromS) }),
    readBars(sql, address, { intervalS: HOUR_S, fromS: hoursFromS, beforeS: tailFromS }),
    readMinutes(sql, token, { fromS: tailFromS, beforeS: nowS + MINUTE_S }),
  ])
  const bars = extendLast([...minuteBars(head), ...hours, ...minuteBars(tail)], price)
  const first = bars[0]
  const last = bars[bars.length - 1]
  if (!first || !last) return readLast(sql, address, nowS)
  const spark = await readSpark(sql, address, { fromS: first.startS, nowS, price })
  return {
    price: last.close,
    isStale: price === null,
    changePct: nowS - first.startS >= WHOLE_DAY_S ? percentUp(first.open, last.close) : null,
    high: Math.max(...bars.map(({ high }) => high)),
    low: Math.min(...bars.map(({ low }) => low)),
    volumeMicroUsd: volumeOf(bars),
    spark,
  }
}

const percentUp = (from: number, to: number): number => Math.round((to / from - 1) * 1e6) / 1e4

const volumeOf = (bars: readonly Bar[]): number | null =>
  bars.every(({ volumeMicroUsd }) => volumeMicroUsd === null)
    ? null
    : bars.reduce((sum, { volumeMicroUsd }) => sum + (volumeMicroUsd ?? 0), 0)

/** A market that was closed for a day: its last price. */
async function readLast(sql: Sql, token: Address, nowS: number): Promise<DayOverview | null> {
  const newest = await newestMarks(sql, [token], { fromS: nowS - LAST_PRICE_S, beforeS: nowS + MINUTE_S })
  const mark = newest.get(token)
  if (!mark) return null
  const unknown = { changePct: null, high: null, low: null, volumeMicroUsd: null, spark: [] }
  return { price: priceUsdOf(mark.priceE18), isStale: true, ...unknown }
}
const LAST_PRICE_S = 7 * DAY_S

/** Marks at equal distances since `fromS`, and the current price. */
async function readSpark(
  sql: Sql,
  token: string,
  { fromS, nowS, price }: { fromS: number; nowS: number; price: number | null },
): Promise<[number, number][]> {
  const stepS = Math.ceil((nowS - fromS) / MINUTE_S / (SPARK_POINTS - 1)) * MINUTE_S || MINUTE_S
  const minutes: number[] = []
  for (let at = startOf(nowS, MINUTE_S); at >= fromS && minutes.length < SPARK_POINTS - 1; at -= stepS)
    minutes.push(at)
  const marks = await marksAt(sql, token, minutes.reverse())
  const points = marks.map(({ minuteS, priceE18 }): [number, number] => [minuteS, priceUsdOf(priceE18)])
  if (price !== null && (points[points.length - 1]?.[0] ?? 0) < nowS) points.push([nowS, price])
  return points
}
