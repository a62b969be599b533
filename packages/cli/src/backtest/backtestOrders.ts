import type { Backtest } from '@pit/brains/backtest'
import type { Address, Hex, Order } from '@pit/chain'
import { decideOrders, type OrderFacts, type OrderPart, type OrdersInput } from '@pit/orders'
import { bpsDown, DAY_S, decimalText, type OrderState } from '@pit/protocol'
import { type OrderBookInput, openOrderBook, type PartOutcome } from './orderBook.ts'

export interface OrdersBacktestRequest extends OrderBookInput {
  weth: Address | null
  limits: { maxTradeMicroUsd: bigint; maxDayMicroUsd: bigint; maxPositionMicroUsd: bigint }
  /** When the orders are placed. */
  fromS: number
  toS: number
}

export interface OrderOutcome {
  /** Position in the list, from 1. */
  order: number
  state: OrderState
  why: string | null
  /** Whole tokens. */
  sold: string
  bought: string
  sells: string
  buys: string
  parts: number
}
export interface OrdersBacktest extends Backtest {
  orders: readonly OrderOutcome[]
}

/** Carries out a list of orders at every stored mark, with the code of the agents. */
export function backtestOrders(request: OrdersBacktestRequest): OrdersBacktest {
  const { limits, usdg, weth, terms, fromS, toS } = request
  const book = openOrderBook(request)
  let orders = request.orders.map((order, i) => newOrder(order, i, fromS))
  const fills: Backtest['fills'][number][] = []
  const equity: { atS: number; microUsd: bigint }[] = []
  let [ticks, holds, refused] = [0, 0, 0]

  const inputAt = (atS: number, canTrade: boolean): OrdersInput => ({
    lists: [{ hash: LIST, orders }],
    mark: (token) => book.mark(token, atS),
    hasFeed: () => true,
    balance: book.balance,
    limits: {
      maxTradeMicroUsd: limits.maxTradeMicroUsd,
      dayLeftMicroUsd: fills
        .filter((fill) => fill.atS > atS - DAY_S)
        .reduce((left, { microUsd }) => left - microUsd, limits.maxDayMicroUsd),
      positionLeft(token) {
        const worth = token === usdg.address ? null : book.worth(token, atS)
        return worth === null ? null : limits.maxPositionMicroUsd - worth
      },
    },
    usdg: usdg.address,
    weth,
    canTrade,
    nowMs: atS * 1_000,
  })
  const decide = (atS: number, canTrade: boolean): OrderPart[] => {
    const decision = decideOrders(inputAt(atS, canTrade))
    orders = orders.map((one) => {
      const verdict = decision.orders.find(({ id }) => id === one.id)
      if (!verdict) return one
      const { state, why, watchedFromS, metRounds, peak } = verdict
      return { ...one, state, why, watchedFromS, metRounds, peak }
    })
    return decision.parts
  }

  for (const atS of timesOf(request)) {
    ticks += 1
    const parts = decide(atS, true)
    if (parts.length === 0) holds += 1
    for (const part of parts) {
      const position = orders.findIndex(({ id }) => id === part.id) + 1
      const outcome = book.fill(part, atS, `order ${position}, part ${part.part}`)
      if (outcome.kind === 'filled') fills.push(outcome.fill)
      if (outcome.kind === 'unfunded') refused += 1
      orders = orders.map((one) =>
        one.id === part.id ? { ...one, fills: fillsAfter(one.fills, part, outcome, atS) } : one,
      )
    }
    const microUsd = book.value(atS)
    if (microUsd !== null) equity.push({ atS, microUsd })
  }
  // States after the last fills.
  decide(toS, false)

  const outcomes = orders.map((one, i) => describe(request, one, i))
  return {
    brain: 'orders',
    ...{ fromS, toS, ticks, holds, refused, fills, equity, terms },
    book: book.shown(toS),
    startMicroUsd: openOrderBook(request).value(fromS) ?? request.cashMicroUsd,
    endMicroUsd: book.value(toS),
    maxDrawdownBps: drawdownBps(equity),
    feesMicroUsd: fills.reduce((sum, fill) => sum + fill.feeMicroUsd, 0n),
    gasMicroUsd: fills.reduce((sum, fill) => sum + fill.gasMicroUsd, 0n),
    lastReason: outcomes.map(({ order, state }) => `order ${order} ${state.replaceAll('_', ' ')}`).join(', '),
    orders: outcomes,
  }
}

const LIST: Hex = `0x${'0'.repeat(64)}`

/** Only marks after `fromS` count for triggers, as rounds after the registration do. */
const newOrder = (order: Order, index: number, fromS: number): OrderFacts => ({
  id: `0x${(index + 1).toString(16).padStart(64, '0')}`,
  order,
  state: 'armed',
  why: null,
  watchedFromS: order.parent === 0 ? fromS : null,
  metRounds: null,
  peak: null,
  fills: {
    spentIn: 0n,
    receivedOut: 0n,
    parts: 0,
    lastPartMs: null,
    settledFromS: null,
    open: null,
    attempt: null,
  },
})

function fillsAfter(
  fills: OrderFacts['fills'],
  part: OrderPart,
  outcome: PartOutcome,
  atS: number,
): OrderFacts['fills'] {
  const atMs = atS * 1_000
  if (outcome.kind === 'filled')
    return {
      spentIn: fills.spentIn + part.amountIn,
      receivedOut: fills.receivedOut + outcome.amountOut,
      parts: part.part,
      lastPartMs: atMs,
      settledFromS: fills.settledFromS ?? atS,
      open: null,
      attempt: null,
    }
  const code = outcome.kind === 'unfunded' ? 'SIMULATION_FAILED' : 'LIMIT_NOT_REACHABLE'
  const count = (fills.attempt?.count ?? 0) + 1
  return { ...fills, attempt: { code, amountIn: null, atMs, count } }
}

/** Every time with a mark of a token of the orders. */
function timesOf({ tokens, marks, fromS, toS }: OrdersBacktestRequest): number[] {
  const times = [...tokens.values()].flatMap(({ symbol }) => (marks.get(symbol) ?? []).map(({ atS }) => atS))
  return [...new Set(times)].filter((atS) => atS >= fromS && atS <= toS).sort((a, b) => a - b)
}

function describe({ tokens, usdg }: OrdersBacktestRequest, one: OrderFacts, index: number): OrderOutcome {
  const tokenOf = (address: Address) => (address === usdg.address ? usdg : tokens.get(address)!)
  const [sells, buys] = [tokenOf(one.order.tokenIn), tokenOf(one.order.tokenOut)]
  return {
    order: index + 1,
    state: one.state,
    why: one.why,
    sold: decimalText(one.fills.spentIn, sells.decimals),
    bought: decimalText(one.fills.receivedOut, buys.decimals),
    sells: sells.symbol,
    buys: buys.symbol,
    parts: one.fills.parts,
  }
}

/** Largest fall below an earlier value, in basis points of that value. */
function drawdownBps(equity: readonly { microUsd: bigint }[]): bigint {
  let [best, deepest] = [0n, 0n]
  for (const { microUsd } of equity) {
    if (microUsd > best) best = microUsd
    const fall = best === 0n ? 0n : bpsDown(best - microUsd, best)
    if (fall > deepest) deepest = fall
  }
  return deepest
}
