import { isDeepStrictEqual } from 'node:util'
import type { Order } from '@pit/chain'
import { runModel, type Step, type World } from '../../packages/orders/test/model.ts'
import { referenceStates } from '../../packages/orders/test/reference.ts'
import {
  E18,
  ETHER,
  NONE,
  NOW_S,
  orderOf,
  TOKEN,
  trailing,
  USD,
  USDG,
} from '../../packages/orders/test/world.ts'
import type { Random } from '../fuzz/random.ts'
import type { SessionWorld } from '../session/world.ts'
import { buyEth, sellEth, when } from './orderAgent.ts'
import type { ListedOrder } from './signedList.ts'

/** Random lists in the terms of the model, whose token costs ten dollars, and the fills that it expects. */
export interface ModelRun {
  lists: Order[][]
  /** Prices in cents, one after another. */
  path: number[]
  /** Names of the orders with a fill before the first price and after each of them. */
  filledAfter: string[][]
  /** Names of the orders that another one of their list has cancelled. */
  cancelled: string[]
}

const START_CENTS = 1_000
/** Prices are whole steps from the start; triggers and limits lie halfway between two. */
const STEP_CENTS = 30
const STEPS = 3
const PRICES = 10
const SLICE_S = 60
/** More than one step between two prices, less than two. */
const TRAIL_BPS = 400
const CAPS = { maxTradeUsd: 60, dayUsd: 10_000, tokens: 1_000, usdg: 2_000 }

export const nameOf = (list: number, position: number): string => `${list}.${position}`

export function randomRun(random: Random, { withSlices }: { withSlices: boolean }): ModelRun {
  const units = [bracket, group, random.pick([limit, stop, trail]), random.pick([limit, stop, trail])]
  const lists = units.map((unit) => unit(random))
  if (withSlices) lists.push([{ ...purchase(random), slices: 2, everyS: SLICE_S }])
  const path: number[] = []
  for (let cents = START_CENTS; path.length < PRICES; ) {
    const next = START_CENTS + STEP_CENTS * (random.below(2 * STEPS + 1) - STEPS)
    if (next === cents) continue
    path.push(next)
    cents = next
  }
  return { lists, path, ...expectedOf(lists, path) }
}

/** Halfway between two prices on one side of the start. */
const halfway = (random: Random, side: 1 | -1): bigint =>
  BigInt(START_CENTS + side * (STEP_CENTS * random.below(STEPS) + STEP_CENTS / 2))
const triggerOf = (random: Random, side: 1 | -1): Order['trigger'] => ({
  kind: side > 0 ? 'at_or_above' : 'at_or_below',
  token: TOKEN,
  priceE18: (halfway(random, side) * E18) / 100n,
  trailBps: 0,
})
const sideOf = (random: Random): 1 | -1 => (random.chance(0.5) ? 1 : -1)

const sale = (random: Random): Order =>
  orderOf({ amountIn: (BigInt(8 + random.below(8)) * ETHER) / 10n, expiresAt: NOW_S + 80_000 })
const purchase = (random: Random): Order => ({
  ...sale(random),
  tokenIn: USDG,
  tokenOut: TOKEN,
  amountIn: BigInt(8 + random.below(8)) * USD,
})

function limit(random: Random): Order[] {
  const order = sale(random)
  return [{ ...order, minAmountOut: (order.amountIn * halfway(random, 1) * USD) / (100n * ETHER) }]
}
const stop = (random: Random): Order[] => [
  { ...random.pick([sale, purchase])(random), trigger: triggerOf(random, sideOf(random)) },
]
const trail = (random: Random): Order[] => [{ ...sale(random), trigger: trailing(TRAIL_BPS) }]
const exits = (random: Random, order: Order): Order[] => [
  { ...order, trigger: triggerOf(random, 1), group: 1 },
  { ...order, trigger: triggerOf(random, -1), group: 1 },
]
const group = (random: Random): Order[] => exits(random, sale(random))
function bracket(random: Random): Order[] {
  const trigger = random.chance(0.5) ? NONE : triggerOf(random, sideOf(random))
  const exit = { ...sale(random), amountIn: 3n * ETHER, parent: 1 }
  return [{ ...purchase(random), trigger }, ...exits(random, exit)]
}

/** After each price there is time for fills to arm exits. */
const stepOf = (cents: number | null): Step => ({
  seconds: 5,
  cents,
  isPaused: false,
  outcomes: Array<string>(8).fill('filled'),
})

function expectedOf(lists: readonly Order[][], path: readonly number[]) {
  const names = new Map<string, string>()
  const steps = [stepOf(null), ...path.flatMap((cents) => [stepOf(cents), stepOf(null)])]
  const filledAfter: string[][] = []
  let n = 0
  const world = runModel({ lists, steps, caps: CAPS }, (now, decision) => {
    const states = decision.orders.map(({ id, state, why }) => ({ id, state, why }))
    if (!isDeepStrictEqual(states, referenceStates(now))) throw new Error('the reference disagrees')
    if (n === 0)
      for (const [i, { orders }] of now.lists.entries())
        for (const [position, { id }] of orders.entries()) names.set(id, nameOf(i, position))
    // All fills up to the price before.
    if (n % 2 === 1) filledAfter.push(filledIn(now, names))
    n += 1
  })
  const cancelled = world.lists.flatMap(({ orders }) =>
    orders.filter(({ state }) => state === 'cancelled').map(({ id }) => names.get(id)!),
  )
  return { filledAfter: filledAfter.slice(0, path.length + 1), cancelled }
}

const filledIn = ({ trades }: World, names: ReadonlyMap<string, string>): string[] =>
  [...new Set(trades.filter(({ status }) => status === 'filled').map(({ id }) => names.get(id)!))].sort()

/** The same order for ETH, at a price of `base` dollars at the start. */
export function toListed(world: Pick<SessionWorld, 'core'>, order: Order, base: number): ListedOrder {
  const { kind, priceE18, trailBps } = order.trigger
  const scale = (atoms: bigint, by: number) => (atoms * BigInt(Math.round(by * 1e9))) / 1_000_000_000n
  const dollars = (Number(priceE18) / 1e18) * (base / 10)
  const token = `0x${'0'.repeat(40)}` as const
  const more = {
    min_amount_out: order.minAmountOut.toString(),
    trigger:
      kind === 'none'
        ? { kind }
        : kind === 'trailing'
          ? { kind, token, trail_bps: trailBps }
          : when(kind, dollars),
    slices: order.slices,
    every_s: order.everyS,
    group: order.group,
    parent: order.parent,
  }
  return order.tokenIn === USDG
    ? buyEth(world, order.amountIn, more)
    : sellEth(world, scale(order.amountIn, 10 / base), more)
}
