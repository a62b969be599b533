import type { Order } from '@pit/chain'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { checkEnd, runModel } from '../test/model.ts'
import { referenceStates } from '../test/reference.ts'
import { above, below, ETHER, NONE, NOW_S, orderOf, TOKEN, trailing, USD, USDG } from '../test/world.ts'

/** Random lists on random prices; `ORDER_MODELS` for more. */
const RUNS = Number(process.env['ORDER_MODELS'] ?? 200)

const trigger = fc.oneof(
  fc.constant(NONE),
  fc.integer({ min: 6, max: 14 }).map(below),
  fc.integer({ min: 6, max: 14 }).map(above),
  fc.integer({ min: 100, max: 3_000 }).map(trailing),
)
const times = fc.record({
  startsAt: fc.constantFrom(0, 0, NOW_S + 300),
  expiresAt: fc.integer({ min: NOW_S + 310, max: NOW_S + 6_000 }),
})
const sale = fc
  .record({ trigger, times, tokens: fc.integer({ min: 1, max: 400 }), limit: fc.constantFrom(0, 0, 8, 11) })
  .map(({ trigger, times, tokens, limit }) => {
    const amountIn = (BigInt(tokens) * ETHER) / 10n + 3n
    return orderOf({ trigger, ...times, amountIn, minAmountOut: (amountIn * BigInt(limit) * USD) / ETHER })
  })
const purchase = sale.map((order) => ({
  ...order,
  tokenIn: USDG,
  tokenOut: TOKEN,
  amountIn: (order.amountIn * 10n * USD) / ETHER + 1n,
  minAmountOut: 0n,
}))
const single = fc.oneof(sale, purchase).map((order) => [order])
const sliced = fc
  .record({
    order: fc.oneof(sale, purchase),
    slices: fc.integer({ min: 2, max: 9 }),
    everyS: fc.integer({ min: 60, max: 500 }),
  })
  .map(({ order, slices, everyS }) => [{ ...order, slices, everyS }])
const pair = (entry: readonly Order[], parent: number) =>
  fc
    .tuple(sale, sale)
    .map(([first, second]) => [
      ...entry,
      { ...first, parent, group: 1 },
      { ...second, parent, group: 1, amountIn: first.amountIn },
    ])
const bracket = fc
  .oneof(
    purchase,
    sliced.filter(([order]) => order!.tokenOut === TOKEN).map(([order]) => order!),
  )
  .chain((entry) => pair([entry], 1))
const list = fc.oneof(single, sliced, pair([], 0), bracket)

const step = fc.record({
  seconds: fc.integer({ min: 1, max: 400 }),
  /** The new price in cents, if there is a round. */
  cents: fc.option(
    fc.integer({ min: 10, max: 30 }).map((half) => half * 50),
    { nil: null },
  ),
  isPaused: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
  outcomes: fc.array(fc.constantFrom('filled', 'filled', 'open', 'failed', 'held'), {
    minLength: 8,
    maxLength: 8,
  }),
})

it('agrees with a plain implementation, and never exceeds a budget', () => {
  const caps = fc.record({
    maxTradeUsd: fc.integer({ min: 2, max: 500 }),
    dayUsd: fc.integer({ min: 5, max: 2_000 }),
    tokens: fc.integer({ min: 0, max: 60 }),
    usdg: fc.integer({ min: 0, max: 800 }),
  })
  fc.assert(
    fc.property(
      fc.array(list, { minLength: 1, maxLength: 3 }),
      fc.array(step, { maxLength: 40 }),
      caps,
      (lists, steps, caps) => {
        runModel({ lists, steps, caps }, (world, decision) => {
          expect(decision.orders.map(({ id, state, why }) => ({ id, state, why }))).toEqual(
            referenceStates(world),
          )
        })
      },
    ),
    { numRuns: RUNS, seed: Number(process.env['ORDER_SEED'] ?? 7) },
  )
})

it('ends every order', () => {
  fc.assert(
    fc.property(
      fc.array(list, { minLength: 1, maxLength: 2 }),
      fc.array(step, { maxLength: 20 }),
      (lists, steps) => {
        const caps = { maxTradeUsd: 50, dayUsd: 1_000, tokens: 60, usdg: 800 }
        checkEnd(runModel({ lists, steps, caps }, () => {}))
      },
    ),
    { numRuns: Math.ceil(RUNS / 4), seed: 11 },
  )
})
