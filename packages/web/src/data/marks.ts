import type { StoredMark } from '@pit/brains/backtest'

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
