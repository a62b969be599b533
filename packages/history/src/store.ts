import type { Sql } from '@pit/platform/db'
import { DAY_S, type HistoryRange } from '@pit/protocol'
import type { Point } from './points.ts'

/** Points of one interval: how many seconds a row covers, and when its points become one of the next. */
interface Resolution {
  stepS: number
  chunkS: number
  keptS: number
}

const MINUTE: Resolution = { stepS: 60, chunkS: 3_600, keptS: DAY_S }
const HOUR: Resolution = { stepS: 3_600, chunkS: DAY_S, keptS: 31 * DAY_S }
const DAY: Resolution = { stepS: DAY_S, chunkS: 32 * DAY_S, keptS: Number.POSITIVE_INFINITY }
/** By the range of a read: the resolutions that cover it. */
const RANGES: Record<HistoryRange, readonly Resolution[]> = {
  day: [MINUTE],
  month: [HOUR, MINUTE],
  all: [DAY, HOUR, MINUTE],
}
const RANGE_S: Record<HistoryRange, number> = {
  day: DAY_S,
  month: 31 * DAY_S,
  all: Number.POSITIVE_INFINITY,
}

/** The value of one series. */
export interface SeriesValue {
  series: string
  value: bigint
}

/** Adds a minute's value to each series; a series that has one for this minute keeps it. */
export async function appendPoints(sql: Sql, values: readonly SeriesValue[], nowS: number): Promise<void> {
  if (values.length === 0) return
  const { stepS, chunkS } = MINUTE
  const chunk = startOf(nowS, chunkS)
  await sql.query(
    `insert into history_points as p (step_s, chunk_s, series, offsets_s, amounts)
     select ${stepS}, $1::int8, series, array[$2::int4], array[amount]
     from unnest($3::text[], $4::int8[]) as given (series, amount) order by series
     on conflict (step_s, chunk_s, series) do update
       set offsets_s = p.offsets_s || excluded.offsets_s, amounts = p.amounts || excluded.amounts
       where p.offsets_s[cardinality(p.offsets_s)] < excluded.offsets_s[1]`,
    [chunk, startOf(nowS, stepS) - chunk, values.map(({ series }) => series), values.map(textOf)],
  )
}

const textOf = ({ value }: SeriesValue): string => value.toString()
const startOf = (atS: number, spanS: number): number => atS - (atS % spanS)

/** Points of several series since the start of the range, oldest first; a series without any is absent. */
export async function readPoints(
  sql: Sql,
  series: readonly string[],
  { range, nowS, sinceS }: { range: HistoryRange; nowS: number; sinceS: number },
): Promise<Map<string, Point[]>> {
  const fromS = Math.max(nowS - RANGE_S[range], sinceS)
  const chunks = RANGES[range].flatMap((resolution) => chunksOf(resolution, { fromS, nowS }))
  // Lists as one text each: the drivers read arrays character by character.
  const rows = await sql.query<{ series: string; chunk_s: number; offsets_s: string; amounts: string }>(
    `select p.series, p.chunk_s, array_to_string(p.offsets_s, ',') as offsets_s,
       array_to_string(p.amounts, ',') as amounts
     from unnest($1::text[]) as named (series)
     cross join unnest($2::int4[], $3::int8[]) as given (step_s, chunk_s)
     -- The limit keeps it a lookup by key for each: a join of many keys scanned the whole table.
     cross join lateral (
       select h.* from history_points h
       where h.step_s = given.step_s and h.chunk_s = given.chunk_s and h.series = named.series limit 1
     ) p
     order by p.series, p.step_s desc, p.chunk_s`,
    [series, chunks.map(({ stepS }) => stepS), chunks.map(({ chunkS }) => chunkS)],
  )
  const points = new Map<string, Point[]>()
  for (const { series: name, chunk_s, offsets_s, amounts } of rows) {
    const own = points.get(name) ?? []
    if (own.length === 0) points.set(name, own)
    const [offsets, values] = [numbersIn(offsets_s), numbersIn(amounts)]
    for (let i = 0; i < offsets.length; i++) {
      const atS = chunk_s + offsets[i]!
      if (atS >= fromS) own.push([atS, values[i]!])
    }
  }
  return points
}

const numbersIn = (list: string): number[] => JSON.parse(`[${list}]`) as number[]

/** The chunks that may hold points of the range: thinning may be late by a chunk or two. */
function chunksOf(
  { stepS, chunkS, keptS }: Resolution,
  { fromS, nowS }: { fromS: number; nowS: number },
): { stepS: number; chunkS: number }[] {
  const oldestS = Math.max(fromS, nowS - keptS - 2 * chunkS)
  const chunks: { stepS: number; chunkS: number }[] = []
  for (let at = startOf(nowS, chunkS); at > oldestS - chunkS && at >= 0; at -= chunkS)
    chunks.push({ stepS, chunkS: at })
  return chunks
}

/**
 * Replaces old chunks of minutes by one point per hour, and of hours by one per day: the last value. Returns
 * how many chunks; less than `limit` when nothing more is due.
 */
export async function thinPoints(sql: Sql, nowS: number, limit: number): Promise<number> {
  const minutes = await thin(sql, { from: MINUTE, to: HOUR, nowS, limit })
  // A day of hours is complete only when all its minutes are thinned.
  if (minutes === limit) return minutes
  return Math.max(minutes, await thin(sql, { from: HOUR, to: DAY, nowS, limit }))
}

async function thin(
  sql: Sql,
  { from, to, nowS, limit }: { from: Resolution; to: Resolution; nowS: number; limit: number },
): Promise<number> {
  const [row] = await sql.query<{ chunks: number }>(
    `with old as (
       select step_s, chunk_s, series from history_points
       where step_s = $1 and chunk_s < $2 order by chunk_s, series limit $3 for update skip locked
     ), gone as (
       delete from history_points p using old
       where p.step_s = old.step_s and p.chunk_s = old.chunk_s and p.series = old.series
       returning p.series, p.chunk_s, p.chunk_s + p.offsets_s[cardinality(p.offsets_s)] as at_s,
         p.amounts[cardinality(p.amounts)] as amount
     ), merged as (
       select series, chunk_s - chunk_s % $5 as chunk_s,
         array_agg((at_s - (chunk_s - chunk_s % $5))::int4 order by at_s) as offsets_s,
         array_agg(amount order by at_s) as amounts
       from gone group by series, chunk_s - chunk_s % $5
     ), stored as (
       insert into history_points as p (step_s, chunk_s, series, offsets_s, amounts)
       select $4, chunk_s, series, offsets_s, amounts from merged order by series
       on conflict (step_s, chunk_s, series) do update
         set offsets_s = p.offsets_s || excluded.offsets_s, amounts = p.amounts || excluded.amounts
     )
     select count(*)::int4 as chunks from gone`,
    [from.stepS, startOf(nowS - from.keptS, from.chunkS), limit, to.stepS, to.chunkS],
  )
  return row!.chunks
}
