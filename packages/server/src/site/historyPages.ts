import { createHash } from 'node:crypto'
import { hasTag, type PageAt } from '@pit/http'
import type { League } from '@pit/league'
import { CANDLE_INTERVALS, type CandleInterval, type Market, readCandles, readOverview } from '@pit/market'
import { createCache } from '@pit/platform/cache'
import { type Clock, nowS } from '@pit/platform/clock'
import type { Sql } from '@pit/platform/db'
import { BOARDS, type ChainProfile, fail, lower, priceUsdOf, usdOf } from '@pit/protocol'

/** The last price moves meanwhile; longer candles change little in half a minute. */
const KEPT_S = 10
const LONG_KEPT_S = 30
const MAX_TEXTS = 100
const SEASON = /^[1-9]\d{0,5}$/

interface Text {
  body: string
  etag: string
  keptS: number
}

interface HistoryDeps {
  sql: Sql
  clock: Clock
  profile: Pick<ChainProfile, 'core_tokens'>
  market: Pick<Market, 'mark'>
  curves: League['curves']
}

/** Market overview, candles and curves of standings, each read once per some seconds for all readers. */
export function historyPages({ sql, clock, profile, market, curves }: HistoryDeps): PageAt[] {
  const texts = createCache<string, Text>({ max: MAX_TEXTS, ttlMs: ({ keptS }) => keptS * 1_000, clock })
  const tokens = profile.core_tokens.map(({ symbol, address, decimals }) => ({
    symbol,
    address: lower(address),
    decimals,
  }))
  const freshPrice = (address: (typeof tokens)[number]['address']): number | null => {
    const mark = market.mark(address)
    return mark && !mark.stale ? priceUsdOf(mark.priceE18) : null
  }

  async function overview(): Promise<object> {
    const atS = nowS(clock)
    const rows = []
    for (const token of tokens) {
      const day = await readOverview(sql, token, { nowS: atS, price: freshPrice(token.address) })
      if (!day) continue
      rows.push({
        symbol: token.symbol,
        price: day.price,
        stale: day.isStale,
        change_24h_pct: day.changePct,
        high_24h: day.high,
        low_24h: day.low,
        volume_24h_usd: dollarsOf(day.volumeMicroUsd),
        spark: day.spark,
      })
    }
    return { at_s: atS, tokens: rows }
  }

  async function candles({ symbol = '', file }: Params): Promise<object> {
    const token = tokens.find((one) => one.symbol === symbol)
    const interval = INTERVALS.find((name) => file === `${name}.json`)
    if (!token || !interval) return notFound()
    const price = freshPrice(token.address)
    const bars = await readCandles(sql, token, { interval, nowS: nowS(clock), price })
    return {
      symbol,
      interval_s: CANDLE_INTERVALS[interval],
      candles: bars.map(({ startS, open, high, low, close, volumeMicroUsd }) => [
        ...[startS, open, high, low, close],
        dollarsOf(volumeMicroUsd),
      ]),
    }
  }

  async function league({ season = '', file }: Params): Promise<object> {
    const board = BOARDS.find((name) => file === `${name}.json`)
    if (!SEASON.test(season) || !board) return notFound()
    return curves(Number(season), board)
  }

  const page = (
    path: string,
    read: (params: Params) => Promise<object>,
    keptS: (params: Params) => number = () => KEPT_S,
  ): PageAt => ({
    path,
    page: {
      kind: 'page',
      name: 'history',
      reply: async (headers, { params }) => {
        const key = [path, ...Object.values(params)].join(' ')
        const text = await texts.load(key, async () => textOf(await read(params), keptS(params)))
        const reply = { headers: ['ETag', text.etag], cacheControl: `public, max-age=${text.keptS}` }
        return hasTag(headers['if-none-match'], text.etag)
          ? { status: 304, body: '', ...reply }
          : { status: 200, body: text.body, ...reply }
      },
    },
  })
  return [
    page('/history/market.json', overview),
    page('/history/candles/:symbol/:file', candles, ({ file }) =>
      file === '1m.json' ? KEPT_S : LONG_KEPT_S,
    ),
    page('/history/league/:season/:file', league, () => LONG_KEPT_S),
  ]
}

type Params = Readonly<Record<string, string>>
const INTERVALS = Object.keys(CANDLE_INTERVALS) as CandleInterval[]
const notFound = () => fail('NOT_FOUND', { message: 'No such file.' })
const dollarsOf = (microUsd: number | null): number | null =>
  microUsd === null ? null : usdOf(BigInt(microUsd))

function textOf(answer: object, keptS: number): Text {
  const body = JSON.stringify(answer)
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`, keptS }
}
