import type { StoredMark } from '@pit/brains/backtest'
import { useQuery } from '@tanstack/react-query'
import type { Point } from './series.ts'

type Row = readonly [minuteS: number, priceE18: string, stale: boolean]

async function read<T>(path: string): Promise<T> {
  const answer = await fetch(path)
  if (!answer.ok) throw new Error(`Stored prices could not be loaded (HTTP status ${answer.status}).`)
  return (await answer.json()) as T
}

/** A core token's stored prices of the last three days. */
export async function storedMarks(token: string): Promise<StoredMark[]> {
  const rows = await read<Row[]>(`/marks/${encodeURIComponent(token)}.json`)
  return rows.map(([atS, price, stale]) => ({ atS, priceE18: BigInt(price), stale }))
}

/** Recent prices of every core token for the sparklines; empty until loaded. */
export function useRecentMarks(): ReadonlyMap<string, readonly Point[]> {
  const { data } = useQuery({
    queryKey: ['marks'],
    queryFn: async () => {
      const curves = Object.entries(await read<Record<string, Row[]>>('/marks.json'))
      return new Map(
        curves.map(([symbol, rows]) => [
          symbol,
          rows.map(([minuteS, price]) => ({ atMs: minuteS * 1_000, value: Number(price) / 1e18 })),
        ]),
      )
    },
    staleTime: 300_000,
  })
  return data ?? new Map()
}
