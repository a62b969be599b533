import { bpsDown, DAY_S } from '@pit/protocol'
import { CASH_TOKEN } from '../purse.ts'
import type { BrainLimits, PairNow, RuleBrain } from '../types.ts'
import { CASH_SERIES, openSeries, type StoredMark } from './series.ts'
import { openSimBook, type SimFill, type SimTerms, worthAt } from './simBook.ts'

export interface BacktestRequest extends SimTerms {
  brain: RuleBrain
  /** Parsed by `readRuleParams`. */
  params: Record<string, unknown>
  pairs: readonly string[]
  /** Minute marks by token, oldest first; USDG needs none. */
  marks: ReadonlyMap<string, readonly StoredMark[]>
  startMicroUsd: bigint
  intervalS: number
  limits: BrainLimits
  fromS: number
  toS: number
}

export interface Backtest {
  brain: string
  fromS: number
  toS: number
  ticks: number
  /** Ticks without an order. */
  holds: number
  /** Orders the book could not pay for. */
  refused: number
  fills: readonly SimFill[]
  equity: readonly { atS: number; microUsd: bigint }[]
  book: readonly { token: string; atomsE18: bigint; microUsd: bigint | null }[]
  startMicroUsd: bigint
  /** Null if a token held at the end has no price. */
  endMicroUsd: bigint | null
  maxDrawdownBps: bigint
  feesMicroUsd: bigint
  gasMicroUsd: bigint
  lastReason: string
  terms: SimTerms
}

/**
 * Runs a rule brain over stored marks. A fill is assumed at the mark of its tick, worse by the slippage, less
 * fee and gas. Real fills are quoted at their size against pools, so results are an estimate.
 */
export function backtest(request: BacktestRequest): Backtest {
  const { brain, params, limits, intervalS } = request
  const series = new Map([...request.marks].map(([token, marks]) => [token, openSeries(marks)]))
  series.set(CASH_TOKEN, CASH_SERIES)
  const priceAt = (atS: number) => (token: string) => series.get(token)?.at(atS).priceE18 ?? null
  const historyS = brain.historyS(params)
  const book = openSimBook(request.startMicroUsd, request)
  const ordered: { atS: number; microUsd: bigint }[] = []
  const equity: { atS: number; microUsd: bigint }[] = []
  let state: Record<string, unknown> | null = null
  let [ticks, holds, refused, lastReason] = [0, 0, 0, '']

  const pairNow = (pair: string, atS: number): PairNow => {
    const { base, quote } = endsOf(pair)
    const now = series.get(base)?.at(atS) ?? { priceE18: null, stale: true }
    const history = series.get(base)?.within(atS, historyS) ?? []
    return { pair, base, quote, baseSymbol: base, quoteSymbol: quote, ...now, history }
  }

  for (let atS = request.fromS; atS <= request.toS; atS += intervalS) {
    while (ordered[0] !== undefined && ordered[0].atS <= atS - DAY_S) ordered.shift()
    const dayUsedMicroUsd = ordered.reduce((sum, order) => sum + order.microUsd, 0n)
    const decision = brain.decide({
      market: { atS, pairs: request.pairs.map((pair) => pairNow(pair, atS)) },
      book: { ...book.view(priceAt(atS)), dayUsedMicroUsd },
      params,
      state,
      limits,
      intervalS,
    })
    // Round trip through JSON, as the store does.
    state = JSON.parse(JSON.stringify(decision.state)) as Record<string, unknown> | null
    ticks += 1
    lastReason = decision.reason
    if (decision.orders.length === 0) holds += 1
    for (const order of decision.orders) {
      ordered.push({ atS, microUsd: order.microUsd })
      if (!book.fill(order, endsOf(order.pair), atS, priceAt(atS))) refused += 1
    }
    const value = book.view(priceAt(atS)).equityMicroUsd
    if (value !== null) equity.push({ atS, microUsd: value })
  }

  const atEnd = priceAt(request.toS)
  return {
    brain: brain.name,
    fromS: request.fromS,
    toS: request.toS,
    ticks,
    holds,
    refused,
    fills: book.fills,
    equity,
    book: [...book.balances()].map(([token, atomsE18]) => {
      const price = atEnd(token)
      return { token, atomsE18, microUsd: price === null ? null : worthAt(atomsE18, price) }
    }),
    startMicroUsd: request.startMicroUsd,
    endMicroUsd: book.view(atEnd).equityMicroUsd,
    maxDrawdownBps: drawdownBps(equity),
    feesMicroUsd: book.fills.reduce((sum, fill) => sum + fill.feeMicroUsd, 0n),
    gasMicroUsd: book.fills.reduce((sum, fill) => sum + fill.gasMicroUsd, 0n),
    lastReason,
    terms: { feeBps: request.feeBps, slippageBps: request.slippageBps, gasMicroUsd: request.gasMicroUsd },
  }
}

export function endsOf(pair: string): { base: string; quote: string } {
  const at = pair.indexOf('/')
  return { base: pair.slice(0, at), quote: pair.slice(at + 1) }
}

/** Max drawdown in basis points of the preceding peak. */
function drawdownBps(equity: readonly { microUsd: bigint }[]): bigint {
  let [high, deepest] = [0n, 0n]
  for (const { microUsd } of equity) {
    if (microUsd > high) high = microUsd
    const fall = high === 0n ? 0n : bpsDown(high - microUsd, high)
    if (fall > deepest) deepest = fall
  }
  return deepest
}
