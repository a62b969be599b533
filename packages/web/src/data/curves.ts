import type { Board } from '@pit/protocol'
import type { Candle, Point } from '@pit/ui/charts'
import { useQueries, useQuery } from '@tanstack/react-query'
import { candlesQuery, INTERVALS, type Interval } from './history.ts'
import { fieldsIn, numberIn, pointsIn, readStored, rowsIn, textIn } from './stored.ts'

/** Recorded equity and returns over time. */

export const RANGES = ['day', 'month', 'all'] as const
export type Range = (typeof RANGES)[number]

export type CurveRow = readonly [timeS: number, value: number]

export const pointsOf = (rows: readonly CurveRow[]): Point[] =>
  rows.map(([timeS, value]) => ({ atMs: timeS * 1_000, value }))

const INTERVAL_S: Record<Interval, number> = { '1m': 60, '5m': 300, '1h': 3_600, '1d': 86_400 }
const MAX_CANDLES = 500

/** The finest candles that reach back this far. */
export const intervalFor = (spanS: number): Interval =>
  INTERVALS.find((interval) => INTERVAL_S[interval] * MAX_CANDLES >= spanS) ?? '1d'

const NONE: readonly Candle[] = []

/** Candles of each token, in order; none for a token without stored prices. */
export const useCandlesOf = (symbols: readonly string[], interval: Interval): (readonly Candle[])[] =>
  useQueries({ queries: symbols.map((symbol) => candlesQuery(symbol, interval)) }).map(
    ({ data }) => data ?? NONE,
  )

export interface LeagueCurve {
  rank: number
  entry_id: number
  label: string
  points: readonly CurveRow[]
}

function curveIn(value: unknown): LeagueCurve {
  const { rank, entry_id, label, points } = fieldsIn(value)
  return {
    rank: numberIn(rank),
    entry_id: numberIn(entry_id),
    label: textIn(label),
    points: pointsIn(points),
  }
}

/** Returns of the first entries of a board over a season; empty before it starts. */
export const useLeagueCurves = (season: number | null, board: Board) =>
  useQuery({
    queryKey: ['history', 'league', season, board],
    queryFn: async ({ signal }): Promise<LeagueCurve[]> =>
      (await readStored(
        `/history/league/${season}/${board}.json`,
        (file) => rowsIn(fieldsIn(file)['entries'], curveIn),
        signal,
      )) ?? [],
    enabled: season !== null,
    refetchInterval: 60_000,
  })
