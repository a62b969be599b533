import { NATIVE, type Order } from '@pit/chain'
import { describe, expect, it } from 'vitest'
import { makeOrder } from '../../test/controlKit.ts'
import { NOW_S, USDG } from '../../test/kit.ts'
import { failuresOf, verdictsOf } from '../checks.ts'
import type { Trade } from '../leaves/types.ts'
import { type ControlFacts, controlRules, type OrderInUse } from './controlRules.ts'
import type { OrderTotals } from './types.ts'

const ID = `0x${'1d'.repeat(32)}` as const
const ENTRY = `0x${'e0'.repeat(32)}` as const
const TRADE: Trade = {
  kind: 'router',
  tokenIn: NATIVE,
  tokenOut: USDG,
  amountIn: 1_000n,
  amountOutMin: 900n,
  valueWei: 0n,
  deadlineS: null,
  fee: null,
  recipient: 'wallet',
  hasPermit: false,
  between: [],
  hooks: [],
  countsWallet: false,
}
const totalsOf = (change: Partial<OrderTotals>): OrderTotals => ({
  id: ID,
  budgetId: ID,
  reserved: 0n,
  spent: 0n,
  received: 0n,
  pendingOut: 0n,
  parts: 0,
  ...change,
})
const orderOf = (order: Partial<Order> = {}, change: Partial<OrderInUse> = {}): ControlFacts['order'] => ({
  id: ID,
  stored: {
    id: ID,
    rootHash: ID,
    listHash: ID,
    position: 0,
    order: makeOrder({ amountIn: 10_000n, ...order }),
    budgetId: ID,
    parentId: null,
    registeredAtMs: NOW_S * 1000,
    metAtMs: null,
    ended: null,
    part: 1,
    totals: [],
    leaf: null,
    otherPartMs: null,
    triggerFault: null,
    ...change,
  },
})
const factsOf = (change: Partial<ControlFacts> = {}): ControlFacts => ({
  nowMs: NOW_S * 1000,
  headS: NOW_S,
  limits: { max_trade_micro_usd: 100, max_day_micro_usd: 1_000, max_trades: 10 },
  controls: {},
  trade: TRADE,
  isClosing: true,
  microUsd: 100n,
  slippageBps: undefined,
  loss: null,
  order: null,
  unsignedMicroUsd: 0n,
  standing: { sequence: 0, dayMicroUsd: 0n },
  reserved: { microUsd: 0n, trades: 0 },
  brakes: null,
  ...change,
})
const refused = (change: Partial<ControlFacts>) =>
  failuresOf(controlRules, factsOf(change)).map(({ rule, value, limit }) =>
    [rule, value, limit].filter((one) => one !== undefined).join(' '),
  )

const leaf = (change: Partial<NonNullable<OrderInUse['leaf']>> = {}): OrderInUse['leaf'] => ({
  sequence: 4,
  amountIn: 1_000n,
  microUsd: 100n,
  state: null,
  firstSignedAtMs: NOW_S * 1000 - 1,
  expiresS: NOW_S + 1,
  ...change,
})
const sliced = { slices: 3, everyS: 60 }
const at = (s: number) => ({ nowMs: s * 1000, headS: s })
const trade = (change: Partial<Trade>) => ({ trade: { ...TRADE, ...change } })
const parent = (received: bigint, reserved = 0n) =>
  orderOf(
    {},
    {
      parentId: ENTRY,
      totals: [totalsOf({ id: ENTRY, budgetId: ENTRY, received }), totalsOf({ reserved })],
    },
  )

describe('a rule passes at its limit and fails past it', () => {
  const above = { signature_above_micro_usd: 250 }
  const cases: [string, Partial<ControlFacts>, string[]][] = [
    ['unsigned at the limit', { controls: above, unsignedMicroUsd: 150n }, []],
    ['unsigned past it', { controls: above, unsignedMicroUsd: 151n }, ['SIGNATURE_REQUIRED 251 250']],
    ['all need a signature', { controls: { signature_above_micro_usd: 0 } }, ['SIGNATURE_REQUIRED 100 0']],
    ['with an order it needs none', { controls: { signature_above_micro_usd: 0 }, order: orderOf() }, []],
    ['unknown order', { order: { id: ID, stored: null } }, [`ORDER_SESSION ${ID}`]],
    ['cancelled', { order: orderOf({}, { ended: { how: 'cancelled', atMs: 1 } }) }, [`ORDER_ENDED ${ID}`]],
    ['replaced', { order: orderOf({}, { ended: { how: 'replaced', atMs: 1 } }) }, [`ORDER_ENDED ${ID}`]],
    ['starts now', { order: orderOf({ startsAt: NOW_S }) }, []],
    ['starts later', { order: orderOf({ startsAt: NOW_S + 1 }) }, [`ORDER_TIME ${NOW_S} ${NOW_S + 1}`]],
    [
      'start by the earlier: head',
      { headS: NOW_S - 1, order: orderOf({ startsAt: NOW_S }) },
      [`ORDER_TIME ${NOW_S - 1} ${NOW_S}`],
    ],
    [
      'start by the earlier: clock',
      { headS: NOW_S + 9, order: orderOf({ startsAt: NOW_S + 1 }) },
      [`ORDER_TIME ${NOW_S} ${NOW_S + 1}`],
    ],
    ['last second', { order: orderOf({ expiresAt: NOW_S + 1 }) }, []],
    ['expired', { order: orderOf({ expiresAt: NOW_S }) }, [`ORDER_TIME ${NOW_S} ${NOW_S}`]],
    [
      'expiry by the later: head',
      { headS: NOW_S + 1, order: orderOf({ expiresAt: NOW_S + 1 }) },
      [`ORDER_TIME ${NOW_S + 1} ${NOW_S + 1}`],
    ],
    [
      'expiry by the later: clock',
      { headS: NOW_S - 9, order: orderOf({ expiresAt: NOW_S }) },
      [`ORDER_TIME ${NOW_S} ${NOW_S}`],
    ],
    ['next part due', { order: orderOf(sliced, { otherPartMs: (NOW_S - 60) * 1000 }) }, []],
    [
      'next part early',
      { order: orderOf(sliced, { otherPartMs: (NOW_S - 60) * 1000 + 1 }) },
      [`ORDER_TIME ${NOW_S} ${NOW_S + 1}`],
    ],
    ['an earlier part again', { order: orderOf(sliced, { otherPartMs: NOW_S * 1000, leaf: leaf() }) }, []],
    [
      'other tokens',
      { ...trade({ tokenOut: NATIVE }), order: orderOf() },
      [`ORDER_TOKENS ${NATIVE} for ${NATIVE} ${NATIVE} for ${USDG}`],
    ],
    ['the whole budget', { ...trade({ amountIn: 10_000n }), order: orderOf() }, []],
    ['past the amount', { ...trade({ amountIn: 10_001n }), order: orderOf() }, ['ORDER_AMOUNT 10001 10000']],
    ['the rest of it', { order: orderOf({}, { totals: [totalsOf({ reserved: 9_000n })] }) }, []],
    [
      'past the rest',
      { order: orderOf({}, { totals: [totalsOf({ reserved: 9_001n })] }) },
      ['ORDER_AMOUNT 10001 10000'],
    ],
    [
      'a group’s budget',
      {
        order: orderOf(
          {},
          { totals: [totalsOf({ reserved: 5_000n }), totalsOf({ id: ENTRY, reserved: 4_001n })] },
        ),
      },
      ['ORDER_AMOUNT 10001 10000'],
    ],
    [
      'another budget',
      { order: orderOf({}, { totals: [totalsOf({ budgetId: ENTRY, reserved: 9_999n })] }) },
      [],
    ],
    ['an exit of what was received', { order: parent(1_000n) }, []],
    ['an exit past it', { order: parent(999n) }, ['ORDER_AMOUNT 1000 999']],
    ['an exit after others', { order: parent(1_500n, 501n) }, ['ORDER_AMOUNT 1501 1500']],
    [
      'an exit at most its own amount',
      { ...trade({ amountIn: 10_001n }), order: parent(99_999n) },
      ['ORDER_AMOUNT 10001 10000'],
    ],
    ['a slice', { ...trade({ amountIn: 3_333n }), order: orderOf(sliced) }, []],
    ['past a slice', { ...trade({ amountIn: 3_334n }), order: orderOf(sliced) }, ['ORDER_AMOUNT 3334 3333']],
    ['the last slice', { ...trade({ amountIn: 3_334n }), order: orderOf(sliced, { part: 3 }) }, []],
    [
      'past the last slice',
      { ...trade({ amountIn: 3_335n }), order: orderOf(sliced, { part: 3 }) },
      ['ORDER_AMOUNT 3335 3334'],
    ],
    ['no such slice', { order: orderOf(sliced, { part: 4 }) }, ['ORDER_AMOUNT 4 3']],
    ['a part that was traded', { order: orderOf({}, { leaf: leaf({ state: 'used' }) }) }, ['ORDER_AMOUNT 1']],
    ['a part that was not', { order: orderOf({}, { leaf: leaf({ state: 'unused' }) }) }, []],
    [
      'a part that is unsettled',
      { order: orderOf({}, { leaf: leaf({ expiresS: NOW_S }) }) },
      ['ORDER_AMOUNT 1'],
    ],
    ['again, as much', { order: orderOf({}, { leaf: leaf() }) }, []],
    [
      'again, more',
      { ...trade({ amountIn: 1_001n }), order: orderOf({}, { leaf: leaf() }) },
      ['ORDER_AMOUNT 1001 1000'],
    ],
    ['again, worth more', { microUsd: 101n, order: orderOf({}, { leaf: leaf() }) }, []],
    ['the order’s minimum in proportion', { order: orderOf({ minAmountOut: 9_000n }) }, []],
    ['below it', { order: orderOf({ minAmountOut: 9_001n }) }, ['ORDER_PRICE 900 901']],
    ['the order’s slippage', { slippageBps: 300, order: orderOf() }, []],
    ['past it', { slippageBps: 301, order: orderOf() }, ['ORDER_PRICE 301 300']],
    ['its loss with the fee', { loss: { lossBps: 325n, feeBps: 25 }, order: orderOf() }, []],
    ['past it', { loss: { lossBps: 326n, feeBps: 25 }, order: orderOf() }, ['ORDER_PRICE 326 325']],
    ['an unmet trigger', { order: orderOf({}, { triggerFault: { message: 'no' } }) }, ['ORDER_TRIGGER']],
    ['an unreadable call', { trade: null, order: orderOf({ expiresAt: NOW_S }) }, []],
    ['times of an unsigned trade', { ...at(NOW_S + 99_999) }, []],
  ]
  it.each(cases)('%s', (_, change, rules) => expect(refused(change)).toEqual(rules))
})

describe('room for closing orders', () => {
  const opening = { isClosing: false, standing: { sequence: 7, dayMicroUsd: 500n } }
  it.each([
    ['trades left', { reserved: { microUsd: 0n, trades: 2 } }, []],
    ['no trades left', { reserved: { microUsd: 0n, trades: 3 } }, ['ORDER_RESERVED 11 10']],
    ['day left', { reserved: { microUsd: 400n, trades: 1 } }, []],
    ['no day left', { reserved: { microUsd: 401n, trades: 1 } }, ['ORDER_RESERVED 1001 1000']],
    ['a closing trade', { isClosing: true, reserved: { microUsd: 999n, trades: 9 } }, []],
    ['a part again', { order: orderOf({}, { leaf: leaf() }), reserved: { microUsd: 999n, trades: 9 } }, []],
    [
      'a part again, worth more',
      { microUsd: 150n, order: orderOf({}, { leaf: leaf() }), reserved: { microUsd: 450n, trades: 3 } },
      [],
    ],
    [
      'a part again, worth more than the day has',
      { microUsd: 150n, order: orderOf({}, { leaf: leaf() }), reserved: { microUsd: 451n, trades: 3 } },
      ['ORDER_RESERVED 1001 1000'],
    ],
  ] as [string, Partial<ControlFacts>, string[]][])('%s', (_, change, rules) =>
    expect(refused({ ...opening, ...change })).toEqual(rules),
  )
})

describe('brakes', () => {
  const breaker = { max_fall_micro_usd: 500, window_s: null, cool_down_s: 60 }
  const state = { buckets: [[0, 200n]] as const, trippedUntilMs: null }
  const brakes = (change: Partial<NonNullable<ControlFacts['brakes']>> = {}) => ({
    isClosing: false,
    brakes: { breakers: [breaker], states: [state], profit: 0n, worst: -300n, ...change },
  })
  const tripped = { buckets: [], trippedUntilMs: NOW_S * 1000 + 1 }
  it.each([
    ['a worst case at the bound', brakes(), []],
    ['past it', brakes({ worst: -301n }), ['BREAKER 501 500']],
    ['from a better profit now', brakes({ profit: 300n, worst: -201n }), ['BREAKER 501 500']],
    ['tripped', brakes({ states: [tripped] }), [`BREAKER ${NOW_S} ${NOW_S + 1}`]],
    ['cooled down', brakes({ states: [{ ...tripped, trippedUntilMs: NOW_S * 1000 }] }), []],
    ['a missing price', brakes({ worst: null }), ['BREAKER_UNPRICED']],
    [
      'a missing price while tripped',
      brakes({ profit: null, worst: null, states: [tripped] }),
      ['BREAKER_UNPRICED', `BREAKER ${NOW_S} ${NOW_S + 1}`],
    ],
    ['a closing trade', { ...brakes({ worst: null, states: [tripped] }), isClosing: true }, []],
  ] as [string, Partial<ControlFacts>, string[]][])('%s', (_, change, rules) =>
    expect(refused(change).map((one) => one.trim())).toEqual(rules),
  )
})

it('measures passed rules too', () => {
  const verdicts = verdictsOf(controlRules, factsOf({ order: orderOf({ minAmountOut: 9_000n }) }))
  expect(verdicts.every(({ ok }) => ok)).toBe(true)
  expect(verdicts).toContainEqual({
    rule: 'ORDER_AMOUNT',
    ok: true,
    message: 'Passed.',
    value: '1000',
    limit: '10000',
  })
  expect(verdicts).toContainEqual({
    rule: 'ORDER_PRICE',
    ok: true,
    message: 'Passed.',
    value: '900',
    limit: '900',
  })
})
