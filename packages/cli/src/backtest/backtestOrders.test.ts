import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { replayBook } from '@pit/brains'
import { type Address, NATIVE, type WireOrder } from '@pit/chain'
import { afterAll, describe, expect, it } from 'vitest'
import { backtestCommand } from './backtestCommand.ts'
import type { OrdersBacktest } from './backtestOrders.ts'
import { readMarksFile, writeMarksFile } from './marksFile.ts'

const FROM_S = 1_800_000_000
const USDG: Address = `0x${'b'.repeat(40)}`
const TOKENS = [
  { address: NATIVE, symbol: 'ETH', decimals: 18 },
  { address: USDG, symbol: 'USDG', decimals: 6 },
]
const folder = mkdtempSync(join(tmpdir(), 'pit-backtest-orders-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const [ordersFile, marksFile] = [join(folder, 'orders.json'), join(folder, 'marks.json')]

const at = (kind: 'at_or_below' | 'at_or_above', usd: number) => ({
  kind,
  token: NATIVE,
  price_e18: `${usd}${'0'.repeat(18)}`,
})
const sell = (change: Partial<WireOrder> = {}): WireOrder => ({
  token_in: NATIVE,
  token_out: USDG,
  amount_in: `1${'0'.repeat(17)}`,
  min_amount_out: '0',
  max_slippage_bps: 100,
  trigger: { kind: 'none' },
  slices: 1,
  every_s: 0,
  starts_at: 0,
  expires_at: FROM_S + 86_400,
  group: 0,
  parent: 0,
  ...change,
})
const buy = (change: Partial<WireOrder> = {}): WireOrder =>
  sell({ token_in: USDG, token_out: NATIVE, amount_in: '100000000', ...change })

/** One price a minute. */
async function pit(orders: unknown, prices: readonly number[], ...args: string[]): Promise<string> {
  writeFileSync(ordersFile, JSON.stringify(orders))
  const rows = prices.map((price, i) => [FROM_S + i * 60, price])
  writeFileSync(marksFile, JSON.stringify({ marks: { ETH: rows } }))
  const printed: string[] = []
  const command = backtestCommand({
    nowS: () => FROM_S + 86_400,
    print: (text) => void printed.push(text),
    readFile: readMarksFile,
    writeFile: writeMarksFile,
    readStore: async () => new Map(),
    readTokens: async () => TOKENS,
  })
    .exitOverride()
    .configureOutput({ writeErr: () => undefined })
  const free = ['--fee-bps', '0', '--slippage-bps', '0', '--gas-usd', '0', '--max-trade', '1000']
  const all = ['--orders', ordersFile, '--marks', marksFile, '--from', String(FROM_S), ...free, ...args]
  await command.parseAsync(all, { from: 'user' })
  return printed.join('\n')
}
const run = async (orders: WireOrder[], prices: readonly number[], ...args: string[]) =>
  JSON.parse(await pit({ orders }, prices, '--json', ...args)) as Omit<OrdersBacktest, 'fills'> & {
    fills: { atS: number; priceE18: string; amountIn: string; amountOut: string; reason: string }[]
  }
const minutes = (fills: readonly { atS: number }[]) => fills.map(({ atS }) => (atS - FROM_S) / 60)

describe('pit backtest --orders', () => {
  it('sells at a stop once a later price is at or below it', async () => {
    // The price at the placement does not count.
    const done = await run([sell({ trigger: at('at_or_below', 2_000) })], [1_990, 2_010, 2_001, 1_980, 2_100])
    expect(minutes(done.fills)).toEqual([3])
    expect(done.orders).toMatchObject([{ state: 'filled', sold: '0.1', bought: '198', parts: 1 }])
    expect(done.startMicroUsd).toBe(String((1_000 + 199) * 1e6))
    expect(done.endMicroUsd).toBe(String((1_000 + 198) * 1e6))
  })

  it('leaves a stop with a minimum waiting after a gap', async () => {
    const stop = sell({ trigger: at('at_or_below', 2_000), min_amount_out: '199000000' })
    const done = await run([stop], [2_100, 2_050, 1_900, 1_900])
    expect(done.fills).toEqual([])
    expect(done.orders).toMatchObject([{ state: 'waiting', why: 'The price is beyond its minimum.' }])
  })

  it('arms the exits of a bracket with its entry; one cancels the other', async () => {
    const exit = { parent: 1, group: 1, amount_in: `1${'0'.repeat(18)}` }
    const bracket = [
      buy({ trigger: at('at_or_below', 2_000) }),
      sell({ ...exit, trigger: at('at_or_below', 1_900) }),
      sell({ ...exit, trigger: at('at_or_above', 2_200) }),
    ]
    const done = await run(bracket, [2_100, 2_300, 2_000, 2_100, 2_200, 1_800])
    expect(minutes(done.fills)).toEqual([2, 4])
    expect(done.orders).toMatchObject([
      { state: 'filled', sold: '100', bought: '0.05' },
      { state: 'cancelled', sold: '0' },
      { state: 'filled', sold: '0.05', bought: '110' },
    ])
    expect(done.endMicroUsd).toBe('1010000000')
  })

  it('trades a TWAP in equal parts, and its book is its fills replayed', async () => {
    const done = await run([buy({ slices: 4, every_s: 120 })], Array(10).fill(2_000), '--fee-bps', '25')
    expect(minutes(done.fills)).toEqual([0, 2, 4, 6])
    expect(done.fills.map(({ reason }) => reason)).toEqual([1, 2, 3, 4].map((n) => `order 1, part ${n}`))
    expect(done.orders).toMatchObject([{ state: 'filled', sold: '100', parts: 4 }])
    const fills = JSON.parse(JSON.stringify(done.fills)).map((fill: Record<string, string>) => ({
      tokenIn: fill['tokenIn']!,
      tokenOut: fill['tokenOut']!,
      amountIn: BigInt(fill['amountIn']!),
      amountOut: BigInt(fill['amountOut']!),
      gasUsdgAtoms: 0n,
    }))
    expect(replayBook(1_000n * 10n ** 18n, fills, 'USDG')).toEqual(
      new Map(done.book.map(({ token, atomsE18 }) => [token, BigInt(atomsE18)])),
    )
  })

  it('prints fills, book and the end of each order', async () => {
    const text = await pit({ orders: [sell({ trigger: at('at_or_below', 2_000) })] }, [2_100, 1_990])
    expect(text).toMatch(/^orders from .* UTC to .* UTC\nassumptions: /)
    expect(text).toContain('sell ETH/USDG')
    expect(text).toContain('1. filled: 0.1 ETH for 199 USDG in 1 part')
    const body = { list: { session: '0x', orders: [sell()] }, challenge: '0x' }
    expect(await pit(body, [2_000])).toContain('1. filled')
  })

  it.each([
    ['no list', {}, 'no "orders" list'],
    ['a malformed order', { orders: [{ ...sell(), amount_in: 'much' }] }, 'order 1, /amount_in'],
    ['an order of nothing', { orders: [sell({ amount_in: '0' })] }, 'order 1, amount_in must be'],
    ['an unknown token', { orders: [sell({ token_in: `0x${'c'.repeat(40)}` })] }, 'not a core token'],
  ])('refuses %s', async (_, body, why) => {
    await expect(pit(body, [2_000])).rejects.toThrow(why)
  })

  it('refuses a brain together with orders', async () => {
    await expect(pit({ orders: [sell()] }, [2_000], 'dca')).rejects.toThrow('Give a brain, or orders')
  })
})
