import { describe, expect, it } from 'vitest'
import {
  above,
  below,
  E18,
  ETHER,
  factsOf,
  inputOf,
  listOf,
  markOf,
  NO_FILLS,
  NOW_S,
  orderOf,
  TOKEN,
  trailing,
  USD,
  USDG,
} from '../test/world.ts'
import { decideOrders } from './decideOrders.ts'
import type { OrderFacts, OrdersInput, TokenMark } from './types.ts'
import { WHY } from './why.ts'

type Change = Partial<Omit<OrdersInput, 'mark'>> & { mark?: TokenMark | null }
const decide = (orders: OrderFacts[], change: Change = {}) =>
  decideOrders(inputOf([listOf(...orders)], change))
const one = (
  order: Partial<Parameters<typeof orderOf>[0]>,
  facts: Partial<OrderFacts> = {},
  change: Change = {},
) => {
  const decided = decide([factsOf(orderOf(order), 1, facts)], change)
  return { ...decided.orders[0]!, part: decided.parts[0], dueMs: decided.dueMs }
}
const filled = (spentIn: bigint, change: Partial<OrderFacts['fills']> = {}) => ({
  fills: { ...NO_FILLS, spentIn, receivedOut: spentIn, parts: 1, lastPartMs: NOW_S * 1_000, ...change },
})

describe('triggers', () => {
  it('fires a stop at its price and at no higher one', () => {
    expect(one({ trigger: below(9) }, {}, { mark: markOf(9.000001) })).toMatchObject({
      state: 'armed',
      part: undefined,
    })
    expect(one({ trigger: below(9) }, {}, { mark: markOf(9) })).toMatchObject({
      state: 'triggered',
      metRounds: ['7'],
      part: { rounds: ['7'], amountIn: 10n * ETHER, part: 1 },
    })
    expect(one({ trigger: above(9) }, {}, { mark: markOf(9) }).state).toBe('triggered')
  })

  it('counts only rounds after the registration, and none of a paused token', () => {
    expect(one({ trigger: below(20) }, {}, { mark: markOf(10, { updatedAtS: NOW_S }) }).state).toBe('armed')
    expect(one({ trigger: below(20) }, {}, { mark: markOf(10, { hold: 'paused' }) }).metRounds).toBe(null)
  })

  it('counts only rounds after the start', () => {
    const order = { trigger: below(20), startsAt: NOW_S + 10 }
    expect(one(order).metRounds).toBe(null)
    expect(one(order, {}, { mark: markOf(10, { updatedAtS: NOW_S + 11 }) }).metRounds).toEqual(['7'])
  })

  it('stays met after the price recovered', () => {
    const { state, part } = one({ trigger: below(9) }, { metRounds: ['5'] }, { mark: markOf(12) })
    expect(state).toBe('triggered')
    expect(part?.rounds).toEqual(['5'])
  })

  it('trails the highest round and names both rounds', () => {
    const peak = { priceE18: 10n * E18, round: '3' }
    expect(one({ trigger: trailing(1_000) }, {}, { mark: markOf(10) }).peak).toEqual({
      priceE18: 10n * E18,
      round: '7',
    })
    expect(one({ trigger: trailing(1_000) }, { peak }, { mark: markOf(11) }).peak?.round).toBe('7')
    expect(one({ trigger: trailing(1_000) }, { peak }, { mark: markOf(9.000001) })).toMatchObject({
      state: 'armed',
      peak,
    })
    expect(one({ trigger: trailing(1_000) }, { peak }, { mark: markOf(9) }).metRounds).toEqual(['3', '7'])
  })

  it('watches again if the co-signer does not see it met', () => {
    const attempt = { code: 'ORDER_TRIGGER', amountIn: null, atMs: 0, count: 1 }
    const fills = { ...NO_FILLS, attempt }
    expect(one({ trigger: below(9) }, { metRounds: ['5'], fills }, { mark: markOf(12) }).metRounds).toBe(null)
  })
})

describe('the size of a part', () => {
  it('is a slice, and the last one takes the remainder', () => {
    const order = { amountIn: 10n * ETHER + 2n, slices: 3, everyS: 60 }
    expect(one(order).part?.amountIn).toBe((10n * ETHER + 2n) / 3n)
    const spent = 2n * ((10n * ETHER + 2n) / 3n)
    const last = one(order, filled(spent, { parts: 2, lastPartMs: (NOW_S - 60) * 1_000 }))
    expect(last.part).toMatchObject({ part: 3, amountIn: 10n * ETHER + 2n - spent })
  })

  it('follows the part before by at least the interval', () => {
    const order = { slices: 5, everyS: 60 }
    const early = one(order, filled(2n * ETHER, { lastPartMs: (NOW_S - 39) * 1_000 }))
    expect(early).toMatchObject({ state: 'partially_filled', part: undefined, dueMs: (NOW_S + 21) * 1_000 })
    expect(one(order, filled(2n * ETHER, { lastPartMs: (NOW_S - 40) * 1_000 })).part?.amountIn).toBe(
      2n * ETHER,
    )
  })

  it('is bounded by balance, caps and an earlier attempt that may still be sent', () => {
    const limits = inputOf([]).limits
    expect(one({}, {}, { balance: () => ETHER }).part?.amountIn).toBe(ETHER)
    expect(one({}, {}, { limits: { ...limits, maxTradeMicroUsd: 20n * USD } }).part?.amountIn).toBe(
      2n * ETHER,
    )
    expect(one({}, {}, { limits: { ...limits, dayLeftMicroUsd: 30n * USD } }).part?.amountIn).toBe(3n * ETHER)
    const attempt = { code: 'TRADE_FAILED', amountIn: ETHER, atMs: 0, count: 1 }
    expect(one({}, { fills: { ...NO_FILLS, attempt } }).part).toMatchObject({ amountIn: ETHER, part: 1 })
  })

  it('is never less than a slice', () => {
    const order = { slices: 5, everyS: 60 }
    expect(one(order, {}, { balance: () => 2n * ETHER }).part?.amountIn).toBe(2n * ETHER)
    expect(one(order, {}, { balance: () => 2n * ETHER - 1n })).toMatchObject({
      state: 'waiting',
      why: WHY.balance,
    })
  })

  it('waits with the reason while less than a dollar fits', () => {
    const limits = inputOf([]).limits
    expect(one({}, {}, { balance: () => ETHER / 11n })).toMatchObject({ state: 'waiting', why: WHY.balance })
    expect(one({}, {}, { limits: { ...limits, dayLeftMicroUsd: 0n } })).toMatchObject({
      state: 'waiting',
      why: WHY.caps,
    })
    expect(
      one(
        { tokenIn: USDG, tokenOut: TOKEN, amountIn: 50n * USD },
        {},
        { limits: { ...limits, positionLeft: () => 5n } },
      ).why,
    ).toBe(WHY.caps)
    expect(one({ amountIn: ETHER, slices: 20, everyS: 60 }).why).toBe(WHY.small)
  })

  it('has the minimum in proportion, rounded up', () => {
    const order = { amountIn: 3n * ETHER, minAmountOut: 10n, slices: 3, everyS: 60 }
    expect(one(order, {}, { mark: markOf(10) }).part?.minAmountOut).toBe(4n)
  })
})

describe('waiting', () => {
  it.each([
    ['closed', WHY.closed],
    ['paused', WHY.paused],
    ['stale', WHY.stale],
  ] as const)('while the price is %s', (hold, why) => {
    expect(one({}, {}, { mark: markOf(10, { hold }) })).toMatchObject({
      state: 'waiting',
      why,
      part: undefined,
    })
  })

  it('while the price is unreadable or beyond the minimum', () => {
    expect(one({}, {}, { mark: null }).why).toBe(WHY.unpriced)
    const dear = { minAmountOut: 120n * USD }
    expect(one(dear, {}, { mark: markOf(10) })).toMatchObject({ state: 'waiting', why: WHY.price })
    expect(one(dear, {}, { mark: markOf(12) }).part?.minAmountOut).toBe(120n * USD)
  })

  it('reports why the last attempt was held, and tries again with growing pauses', () => {
    const heldAt = (agoMs: number, count: number) => ({
      fills: {
        ...NO_FILLS,
        attempt: { code: 'BREAKER', amountIn: null, atMs: (NOW_S + 20) * 1_000 - agoMs, count },
      },
    })
    expect(one({}, heldAt(3_999, 3))).toMatchObject({ state: 'waiting', part: undefined })
    expect(one({}, heldAt(4_000, 3))).toMatchObject({ state: 'waiting', part: { part: 1 } })
    expect(one({}, heldAt(59_999, 30)).part).toBeUndefined()
    expect(one({}, heldAt(60_000, 30)).part).toBeDefined()
  })

  it('sends nothing while an earlier trade is in flight', () => {
    expect(one({}, {}, { canTrade: false })).toMatchObject({
      state: 'armed',
      part: undefined,
      dueMs: (NOW_S + 21) * 1_000,
    })
    const open = { part: 1, amountIn: ETHER }
    expect(one({}, { fills: { ...NO_FILLS, open } })).toMatchObject({ state: 'sent', part: undefined })
  })
})

describe('ends', () => {
  it('is filled with a rest below one dollar, and reports the rest', () => {
    expect(one({}, filled(10n * ETHER))).toMatchObject({ state: 'filled', why: null, ended: true })
    expect(one({}, filled(10n * ETHER - ETHER / 11n)).why).toContain('are left')
    expect(one({}, filled(10n * ETHER - ETHER / 9n)).state).toBe('partially_filled')
  })

  it('expires, but not while a part is in flight', () => {
    expect(one({ expiresAt: NOW_S + 20 })).toMatchObject({ state: 'expired', ended: true })
    expect(one({ expiresAt: NOW_S + 21 }).part).toBeDefined()
    const open = { part: 1, amountIn: ETHER }
    expect(one({ expiresAt: NOW_S }, { fills: { ...NO_FILLS, open } }).state).toBe('sent')
  })

  it('ends permanently if the co-signer ended it', () => {
    const fills = { ...NO_FILLS, attempt: { code: 'ORDER_ENDED', amountIn: null, atMs: 0, count: 1 } }
    expect(one({}, { fills })).toMatchObject({ state: 'cancelled', ended: true })
  })
})

describe('groups and exits', () => {
  const oco = (first: Partial<OrderFacts> = {}, second: Partial<OrderFacts> = {}) => [
    factsOf(orderOf({ group: 1, trigger: below(9) }), 1, first),
    factsOf(orderOf({ group: 1, trigger: above(12) }), 2, second),
  ]
  it('spends one budget', () => {
    const open = { fills: { ...NO_FILLS, open: { part: 1, amountIn: 10n * ETHER } } }
    const both = decide(oco({ metRounds: ['1'], ...open }, { metRounds: ['2'] }))
    expect(both.parts).toEqual([])
    expect(both.orders.map(({ state }) => state)).toEqual(['sent', 'armed'])
    const done = decide(oco({ metRounds: ['1'], ...filled(10n * ETHER) }, { metRounds: ['2'] }))
    expect(done.orders).toMatchObject([{ state: 'filled' }, { state: 'cancelled', why: WHY.group }])
    // Both in one decision.
    expect(decide(oco({ metRounds: ['1'] }, { metRounds: ['2'] })).parts).toMatchObject([
      { amountIn: 10n * ETHER },
    ])
  })

  const bracket = (entry: Partial<OrderFacts> = {}, exit: Partial<OrderFacts> = {}) => [
    factsOf(orderOf({ tokenIn: USDG, tokenOut: TOKEN, amountIn: 100n * USD }), 1, entry),
    factsOf(orderOf({ parent: 1, group: 1, trigger: below(9) }), 2, exit),
    factsOf(orderOf({ parent: 1, group: 1, trigger: above(9) }), 3, exit),
  ]
  it('arms exits with what the entry has received', () => {
    const waiting = decide(bracket())
    expect(waiting.orders.slice(1)).toMatchObject([
      { state: 'waiting', why: WHY.entry },
      { state: 'waiting' },
    ])
    const half = (settledFromS: number | null) => ({
      fills: { ...NO_FILLS, spentIn: 50n * USD, receivedOut: 4n * ETHER, parts: 1, settledFromS },
    })
    // Nothing counts until the fill is settled; it is looked at again soon.
    const unsettled = decide(bracket(half(null)))
    expect(unsettled.orders.slice(1)).toMatchObject([
      { state: 'waiting', why: WHY.entry },
      { metRounds: null },
    ])
    expect(unsettled.dueMs).toBe((NOW_S + 22) * 1_000)
    const ended = { ...half(null), state: 'filled' as const }
    ended.fills.receivedOut = 0n
    expect(decide(bracket(ended)).orders).toMatchObject([{ state: 'waiting' }, { state: 'waiting' }])
    // Then only later rounds do.
    const old = decide(bracket(half(NOW_S + 10)))
    expect(old.orders.slice(1)).toMatchObject([
      { state: 'armed', watchedFromS: NOW_S + 10, metRounds: null },
      { state: 'armed', metRounds: null },
    ])
    const met = decide(bracket(half(NOW_S + 9)))
    expect(met.orders[1]).toMatchObject({ state: 'armed', metRounds: null })
    expect(met.parts.find(({ id }) => id.endsWith('3'))).toMatchObject({ amountIn: 4n * ETHER })
  })

  it('reports what an entry received beyond the exit', () => {
    const much = {
      fills: { ...NO_FILLS, spentIn: 100n * USD, receivedOut: 11n * ETHER, parts: 1, settledFromS: NOW_S },
    }
    expect(decide(bracket(much)).orders[1]?.why).toContain(`${ETHER} atoms`)
  })

  it('cancels exits of an entry that ended unfilled', () => {
    const ended = decide(bracket({ state: 'cancelled' }))
    expect(ended.orders).toMatchObject([
      { state: 'cancelled', why: WHY.entryEnded },
      { state: 'cancelled', why: WHY.entryEnded },
    ])
    const partial = decide(
      bracket({
        state: 'cancelled',
        fills: { ...NO_FILLS, spentIn: USD, receivedOut: ETHER, settledFromS: NOW_S },
      }),
    )
    expect(partial.orders.map(({ state }) => state)).toEqual(['armed', 'triggered'])
  })

  it('trades closing orders first', () => {
    const buy = factsOf(orderOf({ tokenIn: USDG, tokenOut: TOKEN, amountIn: 100n * USD }), 1)
    const sell = factsOf(orderOf(), 2)
    const limits = { ...inputOf([]).limits, dayLeftMicroUsd: 100n * USD }
    const { parts, orders } = decide([buy, sell], { limits })
    expect(parts.map(({ tokenIn }) => tokenIn)).toEqual([TOKEN])
    expect(orders[1]).toMatchObject({ state: 'waiting', why: WHY.caps })
  })
})
