import { NATIVE, type Order } from '@pit/chain'
import { expect, it } from 'vitest'
import { makeOrder } from '../../test/controlKit.ts'
import { E18, NOW_S, PINS, USDG } from '../../test/kit.ts'
import { reserveFor } from './reserve.ts'
import type { OrderTotals, StoredOrder } from './types.ts'

const stored = (id: string, order: Partial<Order> = {}, change: Partial<StoredOrder> = {}): StoredOrder => ({
  id: `0x${id}`,
  rootHash: '0x',
  listHash: '0x',
  position: 0,
  order: makeOrder({ amountIn: 10n * E18, ...order }),
  budgetId: `0x${id}`,
  parentId: null,
  registeredAtMs: NOW_S * 1000,
  metAtMs: null,
  ended: null,
  ...change,
})
const total = (id: string, change: Partial<OrderTotals>): OrderTotals => ({
  id: `0x${id}`,
  budgetId: `0x${id}`,
  reserved: 0n,
  spent: 0n,
  received: 0n,
  pendingOut: 0n,
  parts: 0,
  ...change,
})
const reserve = (
  orders: StoredOrder[],
  totals: OrderTotals[] = [],
  more: { parentId: string | null; more: bigint } = { parentId: null, more: 0n },
  hasPrice = true,
) => {
  const { microUsd, trades } = reserveFor(orders, {
    totals,
    more,
    priceOf: () => (hasPrice ? { priceE18: E18, decimals: 18, feedless: false } : null),
    pins: PINS,
    maxTradeMicroUsd: 4_000_000,
  })
  return [Number(microUsd) / 1e6, trades]
}

it('keeps the value of closing orders and the trades it takes', () => {
  expect(reserve([])).toEqual([0, 0])
  expect(reserve([stored('a')])).toEqual([10, 3])
  expect(reserve([stored('a'), stored('b', { amountIn: E18 })])).toEqual([11, 4])
  expect(reserve([stored('a', { tokenIn: USDG, tokenOut: NATIVE })]), 'an opening one').toEqual([0, 0])
  expect(reserve([stored('a')], [], undefined, false), 'without a price').toEqual([0, 1])
})
it('keeps only what is left, once for each budget', () => {
  expect(reserve([stored('a')], [total('a', { reserved: 9n * E18 })])).toEqual([1, 1])
  expect(reserve([stored('a')], [total('a', { reserved: 10n * E18 })])).toEqual([0, 0])
  expect(reserve([stored('a'), stored('b', {}, { budgetId: '0xa' })])).toEqual([10, 3])
  expect(reserve([stored('a', { slices: 8, everyS: 60 })], [total('a', { reserved: 0n, parts: 3 })])).toEqual(
    [10, 5],
  )
})
it('keeps for exits what their entry received, may receive and receives by this trade', () => {
  const exit = stored('c', {}, { parentId: '0xe' })
  expect(reserve([exit])).toEqual([0, 0])
  expect(reserve([exit], [total('e', { received: 2n * E18, pendingOut: E18 })])).toEqual([3, 1])
  expect(reserve([exit], [], { parentId: '0xe', more: 3n * E18 })).toEqual([3, 1])
  expect(reserve([exit], [], { parentId: '0xf', more: 3n * E18 })).toEqual([0, 0])
  expect(reserve([exit], [total('e', { received: 99n * E18 })])).toEqual([10, 3])
})
