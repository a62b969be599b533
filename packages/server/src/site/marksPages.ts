import type { PageAt } from '@pit/http'
import { marksBetween } from '@pit/market/markReads'
import { createCache } from '@pit/platform/cache'
import type { Clock } from '@pit/platform/clock'
import type { Sql } from '@pit/platform/db'
import { type ChainProfile, DAY_S } from '@pit/protocol'

const MINUTE_S = 60
const SPAN_S = 3 * DAY_S
const RECENT_S = 6 * 3_600
/** Minutes between the points of the recent curve. */
const RECENT_STEP = 5

/**
 * Past prices from the store, by the minute. For backtests a core token's last three days, as `[minute, price
 * times 10^18, stale]`; for the market's charts the last hours of all tokens, a point every five minutes.
 * Each is read once a minute for all readers.
 */
export function marksPages({
  sql,
  clock,
  profile,
}: {
  sql: Sql
  clock: Clock
  profile: Pick<ChainProfile, 'core_tokens'>
}): PageAt[] {
  const tokens = profile.core_tokens
  const texts = createCache<string, string>({ max: tokens.length + 1, ttlMs: MINUTE_S * 1_000, clock })

  async function marksOf(address: string, spanS: number): Promise<[number, string, boolean][]> {
    const token = address.toLowerCase()
    const toS = Math.floor(clock.nowMs() / 1_000)
    const rows = await marksBetween(sql, { token, fromS: toS - spanS, toS, limit: spanS / MINUTE_S + 1 })
    return rows.map(({ minuteS, priceE18, stale }) => [minuteS, String(priceE18), stale])
  }
  async function recent(): Promise<string> {
    const curves = tokens.map(async ({ symbol, address }) => {
      const marks = await marksOf(address, RECENT_S)
      return [symbol, marks.filter(([minute]) => minute % (RECENT_STEP * MINUTE_S) === 0)]
    })
    return JSON.stringify(Object.fromEntries(await Promise.all(curves)))
  }
  const page = (path: string, read: () => Promise<string>): PageAt => ({
    path,
    page: {
      kind: 'page',
      name: 'marks',
      reply: async () => ({
        status: 200,
        body: await texts.load(path, read),
        cacheControl: `public, max-age=${MINUTE_S}`,
      }),
    },
  })
  return [
    page('/marks.json', recent),
    ...tokens.map(({ symbol, address }) =>
      page(`/marks/${symbol}.json`, async () => JSON.stringify(await marksOf(address, SPAN_S))),
    ),
  ]
}
