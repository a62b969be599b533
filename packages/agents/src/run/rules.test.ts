import type { BrainBook } from '@pit/brains'
import type { Address } from '@pit/chain'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AgentToken } from '../types.ts'
import { judgeOrders, type OrderFacts } from './checks.ts'
import { settleOf, TRACELESS_MS } from './settle.ts'
import type { OpenOrder } from './types.ts'
import { bookOf } from './view.ts'

const at = (n: number): Address => `0x${n.toString(16).padStart(40, '0')}`
const token = (name: string, n: number, decimals = 18): AgentToken => ({
  token: name,
  symbol: name,
  address: at(n),
  decimals,
  stock: false,
})
const [ETH, USDG, BTC] = [token('ETH', 0), token('USDG', 1, 6), token('cbBTC', 2, 8)]
const USD = 1_000_000n
const agent = {
  pairs: ['ETH/USDG', 'cbBTC/USDG', 'cbBTC/ETH'],
  tokens: [ETH, USDG, BTC],
  limits: { maxTradeMicroUsd: 100n * USD, maxDayMicroUsd: 300n * USD, maxPositionMicroUsd: 250n * USD },
}
const bookWith = (held: Record<string, bigint | null>, dayUsed = 0n): BrainBook => ({
  cashMicroUsd: held['USDG'] ?? 0n,
  equityMicroUsd: null,
  positions: agent.tokens.map(({ token: name, symbol }) => {
    const value = held[name]
    return {
      token: name,
      symbol,
      atoms: value === undefined ? 0n : 7n,
      microUsd: value === undefined ? 0n : value,
    }
  }),
  dayUsedMicroUsd: dayUsed,
})
const ask = (held: Record<string, bigint | null>, more: Partial<OrderFacts> = {}): OrderFacts => ({
  agent,
  book: bookWith(held),
  usdg: USDG.address,
  practice: false,
  ...more,
})
const order = (pair: string, side: 'buy' | 'sell', usd: number) => ({
  pair,
  side,
  microUsd: BigInt(Math.round(usd * 1e6)),
  reason: '',
})
const decide = (...orders: ReturnType<typeof order>[]) => ({ orders, reason: '', state: null })
const codes = (judged: ReturnType<typeof judgeOrders>) => judged.map(({ hold }) => hold?.code ?? 'trades')

describe('orders against the agent’s limits', () => {
  it('counts each order for the following ones', () => {
    const orders = Array.from({ length: 4 }, () => order('ETH/USDG', 'buy', 100))
    expect(codes(judgeOrders(decide(...orders), ask({ USDG: 1_000n * USD })))).toEqual([
      'trades',
      'trades',
      'MAX_POSITION',
      'MAX_POSITION',
    ])
    const both = [...orders.slice(0, 2), order('cbBTC/USDG', 'buy', 100), order('cbBTC/USDG', 'buy', 100)]
    expect(codes(judgeOrders(decide(...both), ask({ USDG: 1_000n * USD })))).toEqual([
      'trades',
      'trades',
      'trades',
      'MAX_DAY',
    ])
  })

  it('never exceeds a limit, whatever is ordered', () => {
    const anOrder = fc.record({
      pair: fc.constantFrom(...agent.pairs, 'DOGE/USDG'),
      side: fc.constantFrom('buy' as const, 'sell' as const),
      microUsd: fc.bigInt({ min: 0n, max: 400n * USD }),
      reason: fc.constant(''),
    })
    const value = fc.option(fc.bigInt({ min: 0n, max: 400n * USD }), { nil: null })
    fc.assert(
      fc.property(
        fc.array(anOrder, { maxLength: 12 }),
        fc.record({ ETH: value, USDG: value, cbBTC: value }),
        fc.bigInt({ min: 0n, max: 350n * USD }),
        (orders, held, used) => {
          const book = bookWith(held, used)
          const judged = judgeOrders({ orders, reason: '', state: null }, ask(held, { book }))
          let day = used
          const bought = new Map<string, bigint>()
          for (const { order: asked, trade } of judged) {
            if (!trade) continue
            expect(agent.pairs).toContain(asked.pair)
            expect(trade.microUsd).toBeGreaterThanOrEqual(USD)
            expect(trade.microUsd).toBeLessThanOrEqual(100n * USD)
            expect(trade.microUsd).toBeLessThanOrEqual(asked.microUsd)
            day += trade.microUsd
            const name = trade.tokenOut.token
            bought.set(name, (bought.get(name) ?? 0n) + trade.microUsd)
            bought.set(trade.tokenIn.token, (bought.get(trade.tokenIn.token) ?? 0n) - trade.microUsd)
            if (name === 'USDG') continue
            const before = held[name as 'ETH' | 'cbBTC']
            expect(before).not.toBeNull()
            expect(before! + bought.get(name)!).toBeLessThanOrEqual(250n * USD)
          }
          if (judged.some(({ trade }) => trade)) expect(day).toBeLessThanOrEqual(300n * USD)
        },
      ),
      { numRuns: 500 },
    )
  })

  it('sells the whole position, to the atom, if more is ordered', () => {
    const [all] = judgeOrders(decide(order('ETH/USDG', 'sell', 100)), ask({ ETH: 40n * USD }))
    expect(all!.trade).toMatchObject({ microUsd: 40n * USD, allAtoms: 7n })
    const [part] = judgeOrders(decide(order('ETH/USDG', 'sell', 30)), ask({ ETH: 40n * USD }))
    expect(part!.trade).toMatchObject({ microUsd: 30n * USD, allAtoms: null })
    // After an earlier order has changed the position, its old atoms are not used.
    const two = judgeOrders(
      decide(order('ETH/USDG', 'sell', 30), order('ETH/USDG', 'sell', 30)),
      ask({ ETH: 40n * USD }),
    )
    expect(two[1]!.trade).toMatchObject({ microUsd: 10n * USD, allAtoms: null })
    expect(codes(judgeOrders(decide(order('ETH/USDG', 'sell', 30)), ask({ ETH: USD / 2n })))).toEqual([
      'NOTHING_TO_SELL',
    ])
    expect(codes(judgeOrders(decide(order('ETH/USDG', 'sell', 30)), ask({})))).toEqual(['NOTHING_TO_SELL'])
  })

  it('checks a limit by the reference price without a mark, and holds without both', () => {
    const buys = decide(order('ETH/USDG', 'buy', 100))
    expect(codes(judgeOrders(buys, ask({ ETH: null })))).toEqual(['MAX_POSITION'])
    const withReference = (value: bigint) => ask({ ETH: null }, { referenceMicroUsd: () => value })
    expect(codes(judgeOrders(buys, withReference(150n * USD)))).toEqual(['trades'])
    expect(codes(judgeOrders(buys, withReference(151n * USD)))).toEqual(['MAX_POSITION'])
  })

  it('lets a practice entrant trade only against USDG', () => {
    const orders = decide(order('cbBTC/ETH', 'buy', 10), order('cbBTC/USDG', 'buy', 10))
    expect(codes(judgeOrders(orders, ask({ ETH: 20n * USD }, { practice: true })))).toEqual([
      'LEAGUE_PAIR',
      'trades',
    ])
  })
})

describe('an open order', () => {
  const open = (more: Partial<OpenOrder>): OpenOrder => ({
    id: 1,
    agentId: 'a',
    tick: 1,
    n: 0,
    pair: 'ETH/USDG',
    side: 'buy',
    microUsd: USD,
    status: 'signed',
    txHash: `0x${'1'.repeat(64)}`,
    createdAtMs: 1_000,
    fee: null,
    trade: null,
    ...more,
  })
  const trade = (status: string) => ({ id: 7, status })
  const settle = (order_: OpenOrder, { onChain = false, afterMs = 0 } = {}) =>
    settleOf(order_, { onChain, nowMs: 1_000 + afterMs })

  it('is never started again', () => {
    for (const afterMs of [0, TRACELESS_MS, 10 * TRACELESS_MS]) {
      expect(settle(open({ status: 'intended', txHash: null }), { afterMs })).toMatchObject({
        status: 'failed',
        code: 'TRADE_LOST',
      })
    }
  })

  it('takes its status from the relay and the chain', () => {
    expect(settle(open({ trade: trade('mined') }))).toMatchObject({ status: 'filled', tradeId: 7 })
    expect(settle(open({ trade: trade('reverted') }))).toMatchObject({
      status: 'failed',
      code: 'TRADE_FAILED',
    })
    expect(settle(open({ trade: trade('dropped') }))).toMatchObject({
      status: 'failed',
      code: 'TRADE_FAILED',
    })
    expect(settle(open({ trade: trade('pending') }))).toMatchObject({ status: 'relayed' })
    expect(settle(open({ status: 'relayed', trade: trade('pending') }))).toBeNull()
    expect(settle(open({}), { onChain: true })).toMatchObject({ status: 'relayed' })
  })

  it('fails only after it can no longer be sent', () => {
    expect(settle(open({}), { afterMs: TRACELESS_MS - 1 })).toBeNull()
    expect(settle(open({}), { afterMs: TRACELESS_MS })).toMatchObject({
      status: 'failed',
      code: 'TRADE_LOST',
    })
  })
})

describe('a book as a brain sees it', () => {
  const market = {
    mark: (address: Address) =>
      address === USDG.address
        ? { priceE18: 10n ** 18n }
        : address === ETH.address
          ? { priceE18: 2_500n * 10n ** 18n }
          : undefined,
  } as unknown as Parameters<typeof bookOf>[2]['market']
  const see = (held: [Address, bigint | null][], tokens = agent.tokens) =>
    bookOf({ tokens }, new Map(held), { market, usdg: USDG, dayUsedMicroUsd: 5n })

  it('has cash whether or not USDG is traded', () => {
    const book = see([[USDG.address, 9n * USD]], [ETH, BTC])
    expect(book).toMatchObject({ cashMicroUsd: 9n * USD, dayUsedMicroUsd: 5n })
    expect(
      see(
        [
          [USDG.address, 9n * USD],
          [ETH.address, 10n ** 18n],
          [BTC.address, 0n],
        ],
        [ETH, BTC],
      ),
    ).toMatchObject({
      equityMicroUsd: 2_509n * USD,
    })
  })

  it('has no value if a price or a balance is missing', () => {
    expect(
      see([
        [USDG.address, 9n * USD],
        [ETH.address, 0n],
        [BTC.address, 1n],
      ]).equityMicroUsd,
    ).toBeNull()
    expect(
      see([
        [USDG.address, 9n * USD],
        [ETH.address, null],
        [BTC.address, 0n],
      ]).equityMicroUsd,
    ).toBeNull()
    expect(
      see([
        [USDG.address, 9n * USD],
        [ETH.address, 0n],
        [BTC.address, 0n],
      ]).equityMicroUsd,
    ).toBe(9n * USD)
  })
})
