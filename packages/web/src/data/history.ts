import { duration } from '@pit/ui'
import type { Candle } from '@pit/ui/charts'
import { useQuery } from '@tanstack/react-query'
import { fieldsIn, numberIn, numberOrNull, pointsIn, readStored, rowsIn, seriesIn, textIn } from './stored.ts'

/** Files with stored prices, served beside the API. */

export interface MarketRow {
  symbol: string
  price: number | null
  change_24h_pct: number | null
  high_24h: number | null
  low_24h: number | null
  volume_24h_usd: number | null
  spark: readonly (readonly [atS: number, price: number])[]
}

/** The change of a day; of a chain younger than that, since its first price. */
export function changeOf(row: MarketRow | undefined): { pct: number | null; overS: number } {
  if (!row) return { pct: null, overS: DAY_S }
  const [first, last] = [row.spark[0], row.spark.at(-1)]
  if (row.change_24h_pct !== null || !first || !last || last[0] - first[0] < MINUTE_S || first[1] <= 0)
    return { pct: row.change_24h_pct, overS: DAY_S }
  const overS = last[0] - first[0]
  return { pct: Math.round((last[1] / first[1] - 1) * 1e4) / 100, overS: overS - (overS % MINUTE_S) }
}
const MINUTE_S = 60
/** Not that of `@pit/protocol`, which the first page does not load. */
export const DAY_S = 86_400

/** `in 24 h`, or the shorter past. */
export const spanText = (overS: number): string => (overS === DAY_S ? 'in 24 h' : `in ${duration(overS)}`)

export const INTERVALS = ['1m', '5m', '1h', '1d'] as const
export type Interval = (typeof INTERVALS)[number]

function marketRowIn(value: unknown): MarketRow {
  const row = fieldsIn(value)
  return {
    symbol: textIn(row['symbol']),
    price: numberOrNull(row['price']),
    change_24h_pct: numberOrNull(row['change_24h_pct']),
    high_24h: numberOrNull(row['high_24h']),
    low_24h: numberOrNull(row['low_24h']),
    volume_24h_usd: numberOrNull(row['volume_24h_usd']),
    spark: pointsIn(row['spark']),
  }
}

const candlesIn = (value: unknown): Candle[] =>
  seriesIn(fieldsIn(value)['candles'], ([startS, open, high, low, close, volume = null]) => [
    ...([numberIn(startS), numberIn(open), numberIn(high), numberIn(low), numberIn(close)] as const),
    numberOrNull(volume),
  ])

/** The last 24 hours of every core token; empty until loaded. */
export function useMarketHistory(): ReadonlyMap<string, MarketRow> {
  const { data } = useQuery({
    queryKey: ['history', 'market'],
    queryFn: async () => {
      const read = (file: unknown) => rowsIn(fieldsIn(file)['tokens'], marketRowIn)
      const tokens = (await readStored('/history/market.json', read)) ?? []
      return new Map(tokens.map((row) => [row.symbol, row]))
    },
    refetchInterval: 30_000,
    staleTime: 30_000,
  })
  return data ?? new Map()
}

/** A core token's candles; the last one is still open. */
export const candlesQuery = (symbol: string, interval: Interval) => ({
  queryKey: ['history', 'candles', symbol, interval],
  queryFn: async () =>
    (await readStored(`/history/candles/${encodeURIComponent(symbol)}/${interval}.json`, candlesIn)) ?? [],
  refetchInterval: 30_000,
  staleTime: 15_000,
})

export const useCandles = (symbol: string, interval: Interval) => useQuery(candlesQuery(symbol, interval))
