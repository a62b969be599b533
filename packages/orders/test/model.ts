import type { Order } from '@pit/chain'
import { expect } from 'vitest'
import { decideOrders } from '../src/decideOrders.ts'
import {
  ENDED_STATES,
  type ListFacts,
  type OrderFacts,
  type OrderFills,
  type OrderPart,
  type OrdersDecision,
  type TokenMark,
} from '../src/types.ts'
import { E18, factsOf, idOf, inputOf, NO_FILLS, NOW_S, TOKEN, USD, USDG } from './world.ts'

/** Carries random lists out step by step, and keeps all that ever happened. */

type Outcome = 'filled' | 'open' | 'failed' | 'held'
export interface Step {
  seconds: number
  cents: number | null
  isPaused: boolean
  outcomes: readonly string[]
}
export interface Caps {
  maxTradeUsd: number
  dayUsd: number
  tokens: number
  usdg: number
}
/** A part that was begun. */
export interface Trade {
  id: string
  part: OrderPart
  atMs: number
  status: Outcome
  amountOut: bigint
  filledMs: number
}
export interface Round {
  id: string
  atS: number
  priceE18: bigint
  isPaused: boolean
}
export interface World {
  lists: ListFacts[]
  trades: Trade[]
  /** As seen by the decisions, oldest first. */
  seen: { atMs: number; round: Round }[]
  nowMs: number
  caps: Caps
  balances: Map<string, bigint>
  dayLeftMicroUsd: bigint
  /** The round (by its place in `seen`) at which an exit's entry was first seen with a fill. */
  armedAt: Map<string, number>
}

const HELD = 'EXECUTOR_GAS'
const LEAF_MS = 150_000

export function runModel(
  { lists, steps, caps }: { lists: readonly (readonly Order[])[]; steps: readonly Step[]; caps: Caps },
  check: (world: World, decision: OrdersDecision) => void,
): World {
  let round: Round = { id: '1', atS: NOW_S - 5, priceE18: 10n * E18, isPaused: false }
  const world: World = {
    lists: lists.map((orders, i) => ({
      hash: idOf(1_000 + i),
      orders: orders.map((order, n) => factsOf(order, (i + 1) * 100 + n)),
    })),
    trades: [],
    seen: [],
    nowMs: NOW_S * 1_000,
    caps,
    balances: new Map([
      [TOKEN, BigInt(caps.tokens) * E18],
      [USDG, BigInt(caps.usdg) * USD],
    ]),
    dayLeftMicroUsd: BigInt(caps.dayUsd) * USD,
    armedAt: new Map(),
  }
  const last: Step = { seconds: 10_000, cents: null, isPaused: false, outcomes: Array(8).fill('filled') }
  for (const step of [...steps, last, last]) {
    world.nowMs += step.seconds * 1_000
    const nowS = world.nowMs / 1_000
    if (step.cents !== null) {
      round = {
        id: String(Number(round.id) + 1),
        atS: nowS - 1,
        priceE18: (BigInt(step.cents) * E18) / 100n,
        isPaused: false,
      }
    }
    round = { ...round, isPaused: step.isPaused }
    for (const trade of world.trades) if (trade.status === 'open') settle(world, trade, step)
    world.seen.push({ atMs: world.nowMs, round })
    armExits(world)
    const decision = decideOrders(inputNow(world, round))
    check(world, decision)
    store(world, decision)
    const trades = decision.parts.map((part) => begin(world, part))
    for (const [n, trade] of trades.entries()) settleAt(world, trade, step.outcomes[n] as Outcome)
  }
  return world
}

const markNow = ({ id, atS, priceE18, isPaused }: Round): TokenMark => ({
  priceE18,
  decimals: 18,
  round: id,
  updatedAtS: atS,
  hold: isPaused ? 'paused' : null,
})

const inputNow = (world: World, round: Round) =>
  inputOf(
    world.lists.map((list) => ({
      ...list,
      orders: list.orders.map((one) => ({ ...one, fills: fillsOf(world, one) })),
    })),
    {
      mark: markNow(round),
      nowMs: world.nowMs,
      balance: (token) => world.balances.get(token),
      limits: {
        maxTradeMicroUsd: BigInt(world.caps.maxTradeUsd) * USD,
        dayLeftMicroUsd: world.dayLeftMicroUsd,
        positionLeft: () => null,
      },
    },
  )

export function fillsOf(world: World, { id }: OrderFacts): OrderFills {
  const own = world.trades.filter((trade) => trade.id === id)
  const done = own.filter(({ status }) => status === 'filled')
  const open = own.find(({ status }) => status === 'open')
  const after = own
    .slice(own.findLastIndex(({ status }) => status === 'filled') + 1)
    .filter((one) => one !== open)
  const recent = after.filter(({ atMs }) => world.nowMs - atMs < LEAF_MS).map(({ part }) => part.amountIn)
  const sum = (of: (trade: Trade) => bigint) => done.reduce((all, trade) => all + of(trade), 0n)
  return {
    ...NO_FILLS,
    spentIn: sum(({ part }) => part.amountIn),
    receivedOut: sum(({ amountOut }) => amountOut),
    parts: done.length,
    lastPartMs: done.at(-1)?.filledMs ?? null,
    settledFromS: done[0] ? Math.floor(done[0].filledMs / 1_000) : null,
    open: open ? { part: open.part.part, amountIn: open.part.amountIn } : null,
    attempt:
      after.length === 0
        ? null
        : {
            code: after.at(-1)!.status === 'held' ? HELD : 'TRADE_FAILED',
            amountIn: recent.length === 0 ? null : recent.reduce((least, one) => (one < least ? one : least)),
            atMs: after.at(-1)!.atMs,
            count: after.length,
          },
  }
}

function armExits(world: World): void {
  for (const { orders } of world.lists)
    for (const { id, order } of orders) {
      const entry = order.parent > 0 ? orders[order.parent - 1] : undefined
      const isFirst = entry && fillsOf(world, entry).receivedOut > 0n && !world.armedAt.has(id)
      if (isFirst) world.armedAt.set(id, world.seen.length - 1)
    }
}

function store(world: World, { orders }: OrdersDecision): void {
  const byId = new Map(orders.map((verdict) => [verdict.id, verdict]))
  world.lists = world.lists.map((list) => ({
    ...list,
    orders: list.orders.map((one) => ({ ...one, ...byId.get(one.id) })),
  }))
}

/** All parts of a decision are in flight together. */
function begin(world: World, part: OrderPart): Trade {
  checkPart(world, part)
  const trade: Trade = { id: part.id, part, atMs: world.nowMs, status: 'open', amountOut: 0n, filledMs: 0 }
  world.trades.push(trade)
  return trade
}

function settleAt(world: World, trade: Trade, status: Outcome): void {
  if (status === 'filled') fill(world, trade)
  else trade.status = status
}

function settle(world: World, trade: Trade, { outcomes, seconds }: Step): void {
  if (outcomes[seconds % 8] === 'failed') trade.status = 'failed'
  else if (outcomes[seconds % 8] !== 'open' || seconds > 1_000) fill(world, trade)
}

/** One percent below a price of ten dollars, whatever the mark. */
function fill(world: World, trade: Trade): void {
  const { tokenIn, tokenOut, amountIn, minAmountOut, microUsd } = trade.part
  const out =
    tokenIn === TOKEN ? (amountIn * 99n * USD) / (10n * E18) : (amountIn * 99n * E18) / (1_000n * USD)
  trade.amountOut = out > minAmountOut ? out : minAmountOut
  trade.status = 'filled'
  trade.filledMs = world.nowMs
  world.balances.set(tokenIn, world.balances.get(tokenIn)! - amountIn)
  world.balances.set(tokenOut, world.balances.get(tokenOut)! + trade.amountOut)
  world.dayLeftMicroUsd -= microUsd
}

const orderOf = (world: World, id: string) => {
  for (const { orders } of world.lists) {
    const one = orders.find((each) => each.id === id)
    if (one) return { one, orders }
  }
  throw new Error('unknown order')
}

/** Bounds of every part, by the trades alone. */
function checkPart(world: World, part: OrderPart): void {
  const { one, orders } = orderOf(world, part.id)
  const { order } = one
  const spent = (facts: OrderFacts) => {
    const { spentIn, open } = fillsOf(world, facts)
    return spentIn + (open?.amountIn ?? 0n)
  }
  const group = order.group === 0 ? [one] : orders.filter((each) => each.order.group === order.group)
  const groupIn = group.reduce((sum, each) => sum + spent(each), 0n) + part.amountIn
  expect(groupIn <= order.amountIn).toBe(true)
  if (order.parent > 0) expect(groupIn <= fillsOf(world, orders[order.parent - 1]!).receivedOut).toBe(true)
  expect(part.amountIn <= world.balances.get(part.tokenIn)!).toBe(true)
  expect(part.minAmountOut * order.amountIn >= order.minAmountOut * part.amountIn).toBe(true)
  expect(part.microUsd >= USD && part.microUsd <= BigInt(world.caps.maxTradeUsd) * USD).toBe(true)
  expect(world.nowMs >= order.startsAt * 1_000 && world.nowMs < order.expiresAt * 1_000).toBe(true)
  expect(fillsOf(world, one).open).toBe(null)
  const before = world.trades.findLast(({ id, status }) => id === part.id && status === 'filled')
  if (before) expect(world.nowMs - before.filledMs >= order.everyS * 1_000).toBe(true)
  if (order.slices > 1)
    expect(
      part.amountIn <= order.amountIn / BigInt(order.slices) + (order.amountIn % BigInt(order.slices)),
    ).toBe(true)
}

export function checkEnd({ lists }: World): void {
  for (const { orders } of lists) for (const { state } of orders) expect(ENDED_STATES).toContain(state)
}
