import { rmSync } from 'node:fs'
import { until } from '@pit/platform/test/until'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newServerDirectory } from '../packages/platform/test/serverStore.ts'
import { type ServerProcess, startServerProcess } from './serverProcess.ts'
import { doTrade } from './trading/doTrade.ts'
import { openTrader, type Trader } from './trading/trader.ts'
import { openTradingWorld, type TradingWorld, tradingEnv } from './trading/world.ts'

const PATIENCE_MS = 240_000

type Point = [number, number]
type Candle = [number, number, number, number, number, number | null]

let world: TradingWorld
let dataDir: string
let server: ServerProcess
let trader: Trader
let agent: string
beforeAll(async () => {
  dataDir = await newServerDirectory()
  world = await openTradingWorld({ server: { DATA_DIR: dataDir } })
  server = world.server
  trader = await openTrader(server.url, { account: 1 })
})
afterAll(async () => {
  await server?.stop()
  await world?.close()
  if (dataDir) rmSync(dataDir, { recursive: true, force: true })
})

const file = async <T>(path: string): Promise<T> =>
  (await fetch(`${server.url}/history/${path}`)).json() as Promise<T>
const volumeOf = async (interval: string): Promise<number> => {
  const { candles } = await file<{ candles: Candle[] }>(`candles/ETH/${interval}.json`)
  return candles.reduce((sum, [, , , , , volume]) => sum + (volume ?? 0), 0)
}
const equity = async (): Promise<Point[]> => {
  const { body } = await trader.get<{ pnl: { history: Point[] } }>(`hosted/${agent}`)
  return body.pnl.history
}
const value = async (): Promise<Point[]> => {
  const { body } = await trader.get<{ history: Point[] }>('me/portfolio?range=all')
  return body.history
}
const soon = (condition: () => Promise<boolean>) =>
  until(condition, { withinMs: PATIENCE_MS, everyMs: 1_000 })

it(
  'a trade and an agent appear in candles, equity and the wallet’s value, also after kill -9',
  async () => {
    const created = await trader.post<{ id: string }>('hosted', {
      ...{
        name: 'curve',
        brain: 'dca',
        params: { usd: 5 },
        pairs: ['ETH/USDG'],
        mode: 'paper',
        interval_s: 60,
      },
      limits: { max_trade_usd: 10, max_day_usd: 1_000, max_position_usd: 1_000 },
      paper_book: { usdg: 1_000 },
    })
    expect(created.status).toBe(201)
    agent = created.body.id
    const request = { token_in: 'USDG', token_out: 'ETH', notional_usd: 500 }
    await doTrade(world.devnet, trader, { tokenIn: world.core('USDG'), tokenOut: world.core('ETH') }, request)
    await soon(async () => (await volumeOf('1m')) > 0)
    await soon(async () => (await equity()).length > 0)
    await soon(async () => (await value()).length > 0)

    const volume = await volumeOf('1m')
    expect(volume).toBeGreaterThan(490)
    expect(volume).toBeLessThan(1_010)
    const [[, ownEquity]] = (await equity()) as [Point]
    expect(ownEquity).toBeGreaterThan(900)
    const before = { equity: await equity(), value: await value() }

    await server.kill()
    server = await startServerProcess({ ...tradingEnv(world.devnet), DATA_DIR: dataDir })
    trader = await openTrader(server.url, { account: 1 })
    await soon(async () => (await volumeOf('1m')) > 0)
    // Counted once, though the blocks after the last checkpoint were read again.
    for (const interval of ['1m', '5m', '1h', '1d']) expect(await volumeOf(interval)).toBe(volume)
    expect((await equity()).slice(0, before.equity.length)).toEqual(before.equity)
    expect((await value()).slice(0, before.value.length)).toEqual(before.value)
    const market = await file<{
      tokens: { symbol: string; volume_24h_usd: number | null; spark: Point[] }[]
    }>('market.json')
    const eth = market.tokens.find(({ symbol }) => symbol === 'ETH')!
    expect(eth.volume_24h_usd).toBe(volume)
    expect(eth.spark.length).toBeGreaterThan(0)
  },
  PATIENCE_MS * 2,
)
