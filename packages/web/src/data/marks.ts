import type { StoredMark } from '@pit/brains/backtest'
import { numberIn, readStored, seriesIn, textIn } from './stored.ts'

type Row = readonly [minuteS: number, priceE18: string, stale: boolean]

/** A core token's stored prices of the last three days. */
export async function storedMarks(token: string): Promise<StoredMark[]> {
  const read = (file: unknown) =>
    seriesIn(file, ([minuteS, price, stale]): Row => {
      const text = textIn(price)
      return [numberIn(minuteS), /^\d{1,60}$/.test(text) ? text : '0', stale === true]
    })
  const rows = (await readStored(`/marks/${encodeURIComponent(token)}.json`, read)) ?? []
  return rows.map(([atS, price, stale]) => ({ atS, priceE18: BigInt(price), stale }))
}
