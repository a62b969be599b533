import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTrader, receiptOf } from './trading/trader.ts'
import { openTradingWorld, type TradingWorld } from './trading/world.ts'

// A server without requests reads the chain rarely; the next request must not show it.

/** A minute without requests, and time for the last block that is heard. */
const REST_MS = 63_000
const ETH = 10n ** 18n

let world: TradingWorld
beforeAll(async () => {
  world = await openTradingWorld()
})
afterAll(() => world?.close())

it('answers the first request after a rest from the newest block', async () => {
  const { devnet, server } = world
  const trader = await openTrader(server.url, { account: 1 })
  const amounts = { token_in: 'ETH', token_out: 'USDG', amount_in: (3n * ETH).toString() }
  const best = async (): Promise<bigint> => {
    const { body } = await trader.post<{ routes: { amount_out: string }[] }>('live/quote', amounts)
    return BigInt(body.routes[0]!.amount_out)
  }
  const before = await best()
  const { status, body: plan } = await trader.plan(amounts)
  expect(status, JSON.stringify(plan)).toBe(200)
  const { raw } = trader.sign(plan.tx!)
  await sleep(REST_MS)
  // Sent past the server. The price moves in a block that it has not read.
  const hash = await devnet.rpc<`0x${string}`>('eth_sendRawTransaction', [raw])
  expect(await receiptOf(devnet, hash)).toMatchObject({ status: '0x1' })
  const first = await best()
  expect(first).toBeLessThan(before)
  await sleep(500)
  expect(await best()).toBe(first)
})
