import type { Sql } from '@pit/platform/db'
import { DAY_S } from '@pit/protocol'
import { type Bar, extendLast, mergeBars, minuteBars } from './bars.ts'
import { HOUR_S, MINUTE_S, startOf } from './keepCandles.ts'
import { type CandleToken, readBars, readCursor, readMinutes } from './store.ts'

export const CANDLE_INTERVALS = { '1m': MINUTE_S, '5m': 5 * MINUTE_S, '1h': HOUR_S, '1d': DAY_S } as const
export type CandleInterval = keyof typeof CANDLE_INTERVALS

const MAX_CANDLES = 500
/** Minutes read at most after the stored hours, which are behind while an older store is caught up with. */
const MAX_TAIL_S = 3 * DAY_S

/** The newest candles, oldest first; the last one ends at `price`, the current mark, if there is one. */
export async function readCandles(
  sql: Sql,
  token: CandleToken,
  { interval, nowS, price }: { interval: CandleInterval; nowS: number; price: number | null },
): Promise<Bar[]> {
  const intervalS = CANDLE_INTERVALS[interval]
  const fromS = startOf(nowS, intervalS) - (MAX_CANDLES - 1) * intervalS
  const stored =
    intervalS < HOUR_S
      ? { bars: [], closedToS: fromS }
      : await readStored(sql, token, { intervalS, fromS, nowS })
  const tail = await readMinutes(sql, token, {
    fromS: Math.max(fromS, stored.closedToS, nowS - MAX_TAIL_S),
    beforeS: nowS + MINUTE_S,
  })
  const bars = [...stored.bars, ...minuteBars(tail)]
  const isCurrent = bars.length > 0 && bars[bars.length - 1]!.startS >= startOf(nowS, MINUTE_S) - MINUTE_S
  return mergeBars(extendLast(bars, isCurrent ? price : null), intervalS).slice(-MAX_CANDLES)
}

/** Stored days, the hours after them, and up to when. */
async function readStored(
  sql: Sql,
  token: CandleToken,
  { intervalS, fromS, nowS }: { intervalS: number; fromS: number; nowS: number },
): Promise<{ bars: Bar[]; closedToS: number }> {
  const { address } = token
  const closedToS = (await readCursor(sql, address)) ?? nowS
  const dayS = startOf(closedToS, DAY_S)
  const days =
    intervalS === DAY_S ? await readBars(sql, address, { intervalS: DAY_S, fromS, beforeS: dayS }) : []
  const hours = await readBars(sql, address, {
    intervalS: HOUR_S,
    fromS: intervalS === DAY_S ? dayS : fromS,
    beforeS: closedToS,
  })
  return { bars: [...days, ...hours], closedToS: startOf(closedToS, HOUR_S) }
}
