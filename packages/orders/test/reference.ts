import type { OrderState } from '@pit/protocol'
import type { OrderFacts } from '../src/types.ts'
import { partText, restText, uncoveredText, WHY, whyHeld } from '../src/why.ts'
import { fillsOf, type World } from './model.ts'
import { NOW_S, TOKEN, USD, USDG } from './world.ts'

/**
 * A second, plain implementation for one token against USDG: it looks through all rounds and trades again at
 * every step, and keeps nothing.
 */
export function referenceStates(world: World): { id: string; state: OrderState; why: string | null }[] {
  const states = new Map<string, { state: OrderState; why: string | null }>()
  const left = {
    dayMicroUsd: world.dayLeftMicroUsd,
    [TOKEN]: world.balances.get(TOKEN)!,
    [USDG]: world.balances.get(USDG)!,
    parts: 0,
  } as Record<string, bigint> & { parts: number; dayMicroUsd: bigint }
  const all = world.lists.flatMap(({ orders }) => orders.map((one) => ({ one, orders })))
  const sales = all.filter(({ one }) => one.order.parent === 0 && one.order.tokenOut === USDG)
  const buys = all.filter(({ one }) => one.order.parent === 0 && one.order.tokenOut !== USDG)
  const exits = all.filter(({ one }) => one.order.parent > 0)
  return [...sales, ...buys, ...exits].flatMap(({ one, orders }) => {
    const entry = one.order.parent > 0 ? orders[one.order.parent - 1]! : null
    const entryState = entry && (states.get(entry.id)?.state ?? entry.state)
    if (FINAL.has(one.state)) return []
    const now = stateOf(world, { one, orders, entry, entryState, left })
    states.set(one.id, now)
    return [{ id: one.id, ...now }]
  })
}

const FINAL: ReadonlySet<OrderState> = new Set(['filled', 'expired', 'cancelled', 'replaced', 'unfillable'])

function stateOf(
  world: World,
  {
    one,
    orders,
    entry,
    entryState,
    left,
  }: {
    one: OrderFacts
    orders: readonly OrderFacts[]
    entry: OrderFacts | null
    entryState: OrderState | null
    left: Record<string, bigint> & { parts: number; dayMicroUsd: bigint }
  },
): { state: OrderState; why: string | null } {
  const { order } = one
  const fills = fillsOf(world, one)
  const { round } = world.seen.at(-1)!
  /** Micro-dollars of input atoms. */
  const worth = (atoms: bigint) => (order.tokenIn === USDG ? atoms : (atoms * round.priceE18) / 10n ** 30n)
  const atomsFor = (microUsd: bigint) =>
    order.tokenIn === USDG ? microUsd : (microUsd * 10n ** 30n) / round.priceE18
  const group = order.group === 0 ? [one] : orders.filter((each) => each.order.group === order.group)
  const groupFills = group.map((each) => fillsOf(world, each))
  const groupSpent = groupFills.reduce((sum, { spentIn }) => sum + spentIn, 0n)
  const groupOpen =
    groupFills.reduce((sum, { open }) => sum + (open?.amountIn ?? 0n), 0n) +
    group.reduce((sum, { id }) => sum + (left[id] ?? 0n), 0n)
  const received = entry ? fillsOf(world, entry).receivedOut : null
  const armed = received === null || received > order.amountIn ? order.amountIn : received
  const baseState: OrderState = fills.spentIn > 0n ? 'partially_filled' : 'armed'

  if (fills.open) return { state: 'sent', why: null }
  const rest = armed - groupSpent
  if (
    (entryState === null || FINAL.has(entryState)) &&
    groupOpen === 0n &&
    (rest <= 0n || worth(rest) < USD)
  ) {
    if (fills.spentIn > 0n) return { state: 'filled', why: rest > 0n ? restText(rest) : null }
    if (groupSpent > 0n) return { state: 'cancelled', why: WHY.group }
    if (entry) return { state: 'cancelled', why: WHY.entryEnded }
  }
  if (world.nowMs >= order.expiresAt * 1_000)
    return { state: 'expired', why: groupSpent > 0n ? partText(fills.spentIn, order.amountIn) : null }
  if (world.nowMs < order.startsAt * 1_000) return { state: 'armed', why: WHY.start }
  const first = entry ? world.armedAt.get(one.id) : 0
  if (first === undefined) return { state: 'waiting', why: WHY.entry }
  const sinceS = Math.max(NOW_S, order.startsAt, entry ? (fillsOf(world, entry).settledFromS ?? 0) : 0)
  if (!isMet(world, one, { first, sinceS })) {
    const excess = received !== null && received > order.amountIn ? received - order.amountIn : 0n
    return { state: baseState, why: excess > 0n ? uncoveredText(excess) : null }
  }
  const free = armed - groupSpent - groupOpen
  if (free <= 0n) {
    const why = groupOpen > 0n || fills.spentIn > 0n ? null : WHY.entry
    return { state: why ? 'waiting' : baseState, why }
  }
  const held = whyHeld(fills.attempt)
  const pauseS = fills.attempt ? Math.min(2 ** (fills.attempt.count - 1), 60) : 0
  const isEarly =
    (fills.lastPartMs !== null && world.nowMs < fills.lastPartMs + order.everyS * 1_000) ||
    (fills.attempt !== null && world.nowMs < fills.attempt.atMs + pauseS * 1_000)
  if (isEarly) return { state: held ? 'waiting' : baseState, why: held }
  if (round.isPaused) return { state: 'waiting', why: WHY.paused }
  if (order.minAmountOut > 0n && (worth(order.amountIn) * 101n) / 100n < order.minAmountOut)
    return { state: 'waiting', why: WHY.price }
  const size = order.amountIn / BigInt(order.slices)
  const slice = free <= size + (order.amountIn % BigInt(order.slices)) ? free : size
  const capUsd = BigInt(world.caps.maxTradeUsd) * USD
  const dayUsd = left.dayMicroUsd > 0n ? left.dayMicroUsd : 0n
  const cap = atomsFor(capUsd < dayUsd ? capUsd : dayUsd)
  const again = fills.attempt?.amountIn ?? slice
  const balance = left[order.tokenIn]! > 0n ? left[order.tokenIn]! : 0n
  const amount = [slice, balance, cap, again].reduce((least, each) => (each < least ? each : least))
  if (worth(amount) < USD || (order.slices > 1 && amount < slice)) {
    const why = amount === slice || amount === again ? WHY.small : amount === cap ? WHY.caps : WHY.balance
    return { state: 'waiting', why }
  }
  if (left.parts < 8) {
    left.parts += 1
    left[order.tokenIn] = balance - amount
    left[one.id] = amount
    left.dayMicroUsd -= order.tokenIn === USDG ? amount : -((-amount * round.priceE18) / 10n ** 30n)
  }
  const ready: OrderState = order.trigger.kind === 'none' || baseState !== 'armed' ? baseState : 'triggered'
  return held ? { state: 'waiting', why: held } : { state: ready, why: null }
}

/** Whether any round so far met the trigger. */
function isMet(
  { seen }: World,
  { order: { trigger } }: OrderFacts,
  { first, sinceS }: { first: number; sinceS: number },
): boolean {
  if (trigger.kind === 'none') return true
  const prices = seen
    .slice(first)
    .filter(({ round }) => !round.isPaused && round.atS > sinceS)
    .map(({ round }) => round.priceE18)
  if (trigger.kind === 'at_or_below') return prices.some((price) => price <= trigger.priceE18)
  if (trigger.kind === 'at_or_above') return prices.some((price) => price >= trigger.priceE18)
  return prices.some((later, j) =>
    prices.slice(0, j).some((earlier) => later * 10_000n <= earlier * BigInt(10_000 - trigger.trailBps)),
  )
}
