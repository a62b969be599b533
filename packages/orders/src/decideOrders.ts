import { type Address, type Hex, NATIVE, type Order } from '@pit/chain'
import type { OrderState } from '@pit/protocol'
import { worthDown } from '@pit/protocol'
import { budgetOf, entryOf, groupOf } from './budget.ts'
import {
  inputPrice,
  isBeyondMinimum,
  MIN_PART_MICRO_USD,
  minOutOf,
  openRoom,
  type Room,
  sizePart,
} from './size.ts'
import { meetTrigger } from './trigger.ts'
import {
  ENDED_STATES,
  type ListFacts,
  type OrderFacts,
  type OrderFills,
  type OrderPart,
  type OrdersDecision,
  type OrdersInput,
  type OrderVerdict,
} from './types.ts'
import { ENDING, partText, restText, uncoveredText, WHY, whyHeld } from './why.ts'

/** Parts in one decision; further ones follow at once. */
const MAX_PARTS = 8
/** When the outcome of a part is looked up, and when the next part of an unsliced order follows. */
const LOOK_MS = 2_000
const NEXT_MS = 1_000
const MAX_RETRY_MS = 60_000
/** When prices, balances and limits are looked at again, whatever the agent's interval. */
const AGAIN_MS = 60_000

interface Standing {
  state: OrderState
  why: string | null
  part?: Omit<OrderPart, 'id' | 'part'>
  dueMs?: number | null
}

/** The state of every open order, and what to trade now. Closing orders come first. */
export function decideOrders(input: OrdersInput): OrdersDecision {
  const room = openRoom(input)
  const orders: OrderVerdict[] = []
  const parts: OrderPart[] = []
  let dueMs: number | null = null
  const wait = (atMs: number | null | undefined) => {
    if (atMs != null && (dueMs === null || atMs < dueMs)) dueMs = atMs
  }
  const decided = new Map<OrderFacts, OrderState>()
  const openParts = new Map<Hex, OrderFills['open']>()
  for (const { list: stored, one } of inTurn(input)) {
    if (isEnded(one.state)) continue
    const list = withOpenParts(stored, openParts)
    const entry = entryOf(stored, one)
    const entryState = entry && (decided.get(entry) ?? entry.state)
    const watched = watch(input, list, one)
    const judged = standingOf(input, { list, one: { ...one, ...watched }, entryState, room })
    const standing = input.blockedBy && judged.part ? { ...judged, ...waitsFor(input.blockedBy) } : judged
    decided.set(one, standing.state)
    orders.push({ id: one.id, list: list.hash, ...watched, ...rewatched(standing, one, watched) })
    wait(standing.dueMs)
    if (!standing.part) continue
    if (!input.canTrade || parts.length >= MAX_PARTS) {
      wait(input.nowMs + NEXT_MS)
      continue
    }
    room.take(standing.part)
    const part = one.fills.parts + 1
    parts.push({ id: one.id, part, ...standing.part })
    // Its group shares the budget within this decision too.
    openParts.set(one.id, { part, amountIn: standing.part.amountIn })
  }
  return { orders, parts, dueMs }
}

const waitsFor = (why: string): Pick<Standing, 'state' | 'why'> => ({ state: 'waiting', why })

function withOpenParts(list: ListFacts, openParts: ReadonlyMap<Hex, OrderFills['open']>): ListFacts {
  if (!list.orders.some(({ id }) => openParts.has(id))) return list
  const orders = list.orders.map((one) => {
    const open = openParts.get(one.id)
    return open ? { ...one, fills: { ...one.fills, open } } : one
  })
  return { ...list, orders }
}

const isEnded = (state: OrderState): boolean => ENDED_STATES.includes(state)

/** Entries before their exits, closing orders before others. */
function inTurn({ lists, usdg, weth }: OrdersInput): { list: ListFacts; one: OrderFacts }[] {
  const all = lists.flatMap((list) => list.orders.map((one) => ({ list, one })))
  const rank = ({ one: { order } }: (typeof all)[number]) =>
    order.parent > 0 ? 2 : isClosing(order, { usdg, weth }) ? 0 : 1
  return [0, 1, 2].flatMap((turn) => all.filter((each) => rank(each) === turn))
}

function isClosing(
  { tokenIn, tokenOut }: Order,
  { usdg, weth }: { usdg: Address; weth: Address | null },
): boolean {
  const isMoney = (token: Address) => token === usdg || token === NATIVE || token === weth
  return tokenOut === usdg || (isMoney(tokenOut) && !isMoney(tokenIn))
}

/** Rounds after the start count; for an exit also only those after its entry's first settled fill. */
function watch(input: OrdersInput, list: ListFacts, one: OrderFacts) {
  const { metRounds, peak } = one
  const fromS = one.watchedFromS ?? entryOf(list, one)?.fills.settledFromS ?? null
  const { trigger, startsAt } = one.order
  const watchedFromS = fromS === null ? null : Math.max(fromS, startsAt)
  return meetTrigger(trigger, { watchedFromS, metRounds, peak }, input.mark(trigger.token))
}

/** A trigger that the co-signer does not see is watched again, from the next round on. */
function rewatched(
  { state, why }: Standing,
  { fills, metRounds: before }: OrderFacts,
  { metRounds }: { metRounds: readonly string[] | null },
): Pick<OrderVerdict, 'state' | 'why' | 'ended' | 'metRounds' | 'isUnmet'> {
  const isUnmet = fills.attempt?.code === 'ORDER_TRIGGER' && before !== null
  return { state, why, ended: isEnded(state), metRounds: isUnmet ? null : metRounds, isUnmet }
}

interface StandingFacts {
  list: ListFacts
  one: OrderFacts
  entryState: OrderState | undefined
  room: Room
}

/** The first rule that applies. */
function standingOf(input: OrdersInput, { list, one, entryState, room }: StandingFacts): Standing {
  const { order, fills } = one
  const { nowMs } = input
  const budget = budgetOf(list, one)
  const price = inputPrice(input, order)
  const baseState: OrderState = fills.spentIn > 0n ? 'partially_filled' : 'armed'
  const partly = budget.spentIn > 0n ? partText(fills.spentIn, order.amountIn) : null

  if (fills.open) return { state: 'sent', why: null, dueMs: nowMs + LOOK_MS }
  const ending = fills.attempt?.code && ENDING[fills.attempt.code]
  if (ending) return ending
  const isSettling = isUnsettled(entryOf(list, one))
  const isFinal = entryState === undefined || (isEnded(entryState) && !isSettling)
  const groupOpen = groupOf(list, one).some((each) => each.fills.open !== null)
  const restIn = budget.armedIn - budget.spentIn
  const isDust = restIn <= 0n || (price !== undefined && worthDown(restIn, price) < MIN_PART_MICRO_USD)
  if (isFinal && !groupOpen && isDust) {
    if (fills.spentIn > 0n) return { state: 'filled', why: restIn > 0n ? restText(restIn) : null }
    if (budget.spentIn > 0n) return { state: 'cancelled', why: WHY.group }
    if (entryState !== undefined) return { state: 'cancelled', why: WHY.entryEnded }
  }
  if (nowMs >= order.expiresAt * 1_000) return { state: 'expired', why: partly }
  const endMs = order.expiresAt * 1_000
  if (nowMs < order.startsAt * 1_000)
    return { state: 'armed', why: WHY.start, dueMs: Math.min(order.startsAt * 1_000, endMs) }
  const hold = (why: string | null, dueMs = endMs): Standing => ({
    state: why ? 'waiting' : baseState,
    why,
    dueMs,
  })
  if (one.watchedFromS === null) return hold(WHY.entry, isSettling ? Math.min(nowMs + LOOK_MS, endMs) : endMs)
  if (one.metRounds === null) {
    const why = budget.uncoveredIn > 0n ? uncoveredText(budget.uncoveredIn) : null
    return { state: baseState, why, dueMs: endMs }
  }
  if (budget.freeIn === 0n) return hold(groupOpen || fills.spentIn > 0n ? null : WHY.entry)
  const nextMs = nextPartMs(one)
  if (nowMs < nextMs) return hold(whyHeld(fills.attempt), Math.min(nextMs, endMs))
  return tradeNow(input, { one, freeIn: budget.freeIn, room, baseState, endMs })
}

/** The output of an entry is unknown before its first fill is settled. */
const isUnsettled = (entry: OrderFacts | undefined): boolean =>
  entry !== undefined && entry.fills.spentIn > 0n && entry.fills.settledFromS === null

/** After the last part, and after failed attempts with growing pauses. */
function nextPartMs({ order, fills: { lastPartMs, attempt } }: OrderFacts): number {
  const sliceMs = lastPartMs === null ? 0 : lastPartMs + order.everyS * 1_000
  if (!attempt) return sliceMs
  const pauseMs = Math.min(1_000 * 2 ** Math.min(attempt.count - 1, 10), MAX_RETRY_MS)
  return Math.max(sliceMs, attempt.atMs + pauseMs)
}

function tradeNow(
  input: OrdersInput,
  {
    one,
    freeIn,
    room,
    baseState,
    endMs,
  }: { one: OrderFacts; freeIn: bigint; room: Room; baseState: OrderState; endMs: number },
): Standing {
  const { order, fills } = one
  const againMs = Math.min(endMs, input.nowMs + AGAIN_MS)
  const waits = (why: string): Standing => ({ state: 'waiting', why, dueMs: againMs })
  const why = marketHold(input, order)
  if (why) return waits(why)
  const price = inputPrice(input, order)
  if (!price) return waits(WHY.unpriced)
  if (isBeyondMinimum(input, order)) return waits(WHY.price)
  const size = sizePart(input, one, { freeIn, price, room })
  if ('why' in size) return waits(size.why)
  const { tokenIn, tokenOut, maxSlippageBps, trigger } = order
  const held = whyHeld(fills.attempt)
  const ready: OrderState = trigger.kind === 'none' || baseState !== 'armed' ? baseState : 'triggered'
  return {
    state: held ? 'waiting' : ready,
    why: held,
    dueMs: endMs,
    part: {
      tokenIn,
      tokenOut,
      ...size,
      minAmountOut: minOutOf(order, size.amountIn),
      maxSlippageBps,
      rounds: one.metRounds ?? [],
    },
  }
}

/** Why neither token's price can be relied on now. */
function marketHold(input: OrdersInput, { tokenIn, tokenOut }: Order): string | null {
  for (const token of [tokenIn, tokenOut]) {
    const mark = input.mark(token)
    if (mark?.hold) return WHY[mark.hold]
    if (!mark && input.hasFeed(token)) return WHY.unpriced
  }
  return null
}
