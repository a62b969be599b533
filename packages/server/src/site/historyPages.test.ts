import type { Mark } from '@pit/market'
import type { Sql } from '@pit/platform/db'
import { createManualClock } from '@pit/platform/test/manualClock'
import { type ChainProfile, fail } from '@pit/protocol'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestApp } from '../../test/testApp.ts'
import { historyPages } from './historyPages.ts'

const WETH = `0x${'Ab'.repeat(20)}` as const
const NOW_S = 1_800_000_030
const MINUTE = { minute_s: NOW_S - 30, price_e18: '2500000000000000000000', atoms: '1000000', since_s: 0 }
let queries = 0
const sql = {
  query: async (text: string) => {
    queries++
    if (text.includes('candle_cursors')) return [{ closed_to_s: NOW_S - (NOW_S % 3_600) }]
    return text.includes('left join pool_volumes') ? [MINUTE] : []
  },
} as unknown as Sql
const clock = createManualClock(NOW_S * 1_000)
const profile = { core_tokens: [{ symbol: 'WETH', address: WETH, decimals: 6 }] } as unknown as ChainProfile
const mark = { priceE18: 2_501n * 10n ** 18n, stale: false } as Mark
const curves = async (season: number, board: 'prize' | 'practice') =>
  season === 1 ? { season, board, at_s: NOW_S, entries: [] } : fail('NO_SEASON', { field: 'season' })
let app: Awaited<ReturnType<typeof openTestApp>>
beforeAll(async () => {
  app = await openTestApp({
    site: historyPages({ sql, clock, profile, market: { mark: () => mark }, curves }),
  })
}, 60_000)
afterAll(() => app.close())
const get = (url: string, headers = {}) => app.inject({ url: `/history/${url}`, headers })

it('serves candles that end at the current mark, read once for all readers', async () => {
  const [first] = await Promise.all([get('candles/WETH/1m.json'), get('candles/WETH/1m.json')])
  expect(first!.json()).toEqual({
    symbol: 'WETH',
    interval_s: 60,
    candles: [[NOW_S - 30, 2_500, 2_501, 2_500, 2_501, 2_500]],
  })
  expect(first!.headers['cache-control']).toBe('public, max-age=10')
  expect((await get('candles/WETH/1d.json')).headers['cache-control']).toBe('public, max-age=30')
  const before = queries
  const again = await get('candles/WETH/1m.json', { 'if-none-match': first!.headers['etag'] })
  expect([again.status, again.text, queries]).toEqual([304, '', before])
})

it('serves the market’s overview and a board’s curves', async () => {
  const { tokens } = (await get('market.json')).json() as { tokens: object[] }
  expect(tokens).toMatchObject([
    { symbol: 'WETH', price: 2_501, stale: false, change_24h_pct: null, volume_24h_usd: expect.any(Number) },
  ])
  expect((await get('league/1/practice.json')).json()).toMatchObject({
    season: 1,
    board: 'practice',
    entries: [],
  })
})

it.each([
  ...['candles/DOGE/1m.json', 'candles/WETH/2m.json', 'candles/WETH/1m', 'candles/weth/1m.json'],
  ...['league/1/other.json', 'league/x/prize.json', 'league/0/prize.json', 'league/2/prize.json'],
])('refuses an unknown file: %s', async (file) => {
  expect((await get(file)).status).toBe(404)
})
