import { type Clock, nowS } from '@pit/platform/clock'
import type { Db } from '@pit/platform/db'
import type { Job } from '@pit/platform/jobs'
import { type ChainProfile, DAY_S, lower } from '@pit/protocol'
import { mergeBars, minuteBars } from './bars.ts'
import {
  type CandleToken,
  moveCursor,
  readBars,
  readCursor,
  readMinutes,
  sweepCandles,
  writeBars,
} from './store.ts'

export const MINUTE_S = 60
export const HOUR_S = 3_600
const EVERY_MS = 60_000
/** Marks of an hour and swaps up to a checkpoint are stored by then. */
const SETTLED_S = 120
const HOURS_KEPT_S = 90 * DAY_S
const VOLUMES_KEPT_S = 3 * DAY_S
/** Of one read, while an older store is caught up with. */
const SPAN_S = 10 * DAY_S
const SPANS_PER_RUN = 5

/** Stores the candles of each hour and day that ended; the job may run late or twice. */
export function createCandleKeeper({
  db,
  clock,
  profile,
}: {
  db: Db
  clock: Clock
  profile: Pick<ChainProfile, 'core_tokens'>
}): Job {
  const tokens = profile.core_tokens.map(({ address, decimals }) => ({ address: lower(address), decimals }))
  /** By token, so that an hour is looked for once. */
  const closedTo = new Map<string, number>()

  /** True when there is more to store. */
  async function keep(token: CandleToken): Promise<boolean> {
    const dueS = startOf(nowS(clock) - SETTLED_S, HOUR_S)
    if ((closedTo.get(token.address) ?? 0) >= dueS) return false
    const cursorS = await readCursor(db, token.address)
    if (cursorS === null) return false
    const fromS = startOf(cursorS, HOUR_S)
    const toS = Math.min(fromS + SPAN_S, dueS)
    if (toS > fromS) await db.transaction((sql) => closeHours(sql, token, { fromS, toS }))
    closedTo.set(token.address, toS)
    return toS < dueS
  }

  return {
    name: 'keep candles',
    intervalMs: EVERY_MS,
    lease: true,
    run: async (signal) => {
      for (const token of tokens) {
        for (let n = 0; n < SPANS_PER_RUN && !signal.aborted; n++) if (!(await keep(token))) break
      }
    },
  }
}

async function closeHours(
  sql: Parameters<typeof readBars>[0],
  token: CandleToken,
  { fromS, toS }: { fromS: number; toS: number },
): Promise<void> {
  const { address } = token
  const bars = minuteBars(await readMinutes(sql, token, { fromS, beforeS: toS + MINUTE_S }))
  const hours = mergeBars(
    bars.filter(({ startS }) => startS < toS),
    HOUR_S,
  )
  await writeBars(sql, address, HOUR_S, hours)
  const days = { fromS: startOf(fromS, DAY_S), beforeS: startOf(toS, DAY_S) }
  const stored = await readBars(sql, address, { intervalS: HOUR_S, ...days })
  await writeBars(sql, address, DAY_S, mergeBars(stored, DAY_S))
  await moveCursor(sql, address, toS)
  await sweepCandles(sql, address, {
    intervalS: HOUR_S,
    barsBeforeS: startOf(toS, DAY_S) - HOURS_KEPT_S,
    volumesBeforeS: toS - VOLUMES_KEPT_S,
  })
}

export const startOf = (atS: number, spanS: number): number => atS - (atS % spanS)
