import type { Answer } from '@pit/protocol'
import { usd } from '@pit/ui'
import type { Fill } from '@pit/ui/charts'

export type LogRow = Answer<'hosted.logs'>['rows'][number]

export interface OrderOf {
  n: number
  pair: string
  side: 'buy' | 'sell'
  usd: number
  reason?: string
}
/** The brain's input of a tick. */
export interface SeenInput {
  pairs: readonly { pair: string; price_usd: number | null; stale?: boolean; marks: number }[]
  cash_usd: number
  equity_usd: number | null
  day_used_usd: number
  positions: readonly { token: string; atoms: string; value_usd: number | null }[]
}
/** An executed order: a fill on paper, or a relayed transaction with its receipt. */
export interface TradeOf {
  order: OrderOf
  atS: number
  isPaper: boolean
  txHash: string | null
  tokenIn: string | null
  tokenOut: string | null
  amountIn: string | null
  amountOut: string | null
  /** A live trade shows its minimum until the receipt is read. */
  isMinimum: boolean
  gasUsd: number | null
  feeBps: number | null
  route: string | null
  receipt: { code: string | null; message: string } | null
}
export interface RuleResult {
  order: OrderOf
  /** Null: passed every rule. */
  hold: { code: string; message: string } | null
}
export type TickOutcome = 'traded' | 'blocked' | 'failed' | 'idle' | 'event'

/** One tick, or one event such as a pause. */
export interface TimelineEntry {
  /** Of its oldest row, so that newer ones do not change it. */
  id: number
  atS: number
  tick: number | null
  outcome: TickOutcome
  code: string | null
  reason: string
  seen: SeenInput | null
  rules: readonly RuleResult[]
  trades: readonly TradeOf[]
  problems: readonly { code: string | null; message: string }[]
  /** Further decisions without an order, directly before this one. */
  more: number
}

type Data = Record<string, unknown>
const dataOf = ({ data }: LogRow): Data => (typeof data === 'object' && data !== null ? (data as Data) : {})
const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)
const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null)

function orderIn(data: Data): OrderOf | null {
  const order = data['order'] as Partial<OrderOf> | undefined
  if (!order || typeof order.pair !== 'string' || (order.side !== 'buy' && order.side !== 'sell')) return null
  return { n: order.n ?? 0, pair: order.pair, side: order.side, usd: order.usd ?? 0 }
}

function tradeOf(row: LogRow, rows: readonly LogRow[]): TradeOf | null {
  const data = dataOf(row)
  const order = orderIn(data)
  if (!order) return null
  const txHash = text(data['tx_hash'])
  const isPaper = data['paper'] === true
  const followed =
    txHash &&
    rows.find((other) => other !== row && other.kind !== 'trade' && dataOf(other)['tx_hash'] === txHash)
  return {
    order,
    atS: numberOf(data['at']) ?? row.ts,
    isPaper,
    txHash,
    tokenIn: text(data['token_in']),
    tokenOut: text(data['token_out']),
    amountIn: text(data['amount_in']),
    amountOut: text(data['amount_out']) ?? text(data['amount_out_min']),
    isMinimum: !isPaper,
    gasUsd: numberOf(data['gas_usd']),
    feeBps: row.fee_bps,
    route: text(data['route']),
    receipt: followed ? { code: followed.code ?? null, message: followed.message ?? '' } : null,
  }
}

/** Groups log rows (newest first) by tick; decisions without an order that follow each other become one entry. */
export function timelineOf(rows: readonly LogRow[]): TimelineEntry[] {
  const groups = new Map<string, LogRow[]>()
  for (const row of rows) {
    const isOwn = row.tick === undefined || row.kind === 'state' || row.kind === 'session'
    const key = isOwn ? `row ${row.id}` : `tick ${row.tick}`
    groups.set(key, [...(groups.get(key) ?? []), row])
  }
  const entries: TimelineEntry[] = []
  for (const group of groups.values()) {
    const entry = entryOf(group)
    const last = entries.at(-1)
    if (entry.outcome !== 'idle' || last?.outcome !== 'idle') entries.push(entry)
    else {
      last.more += 1
      last.id = entry.id
    }
  }
  return entries
}

function entryOf(rows: readonly LogRow[]): TimelineEntry {
  const decision = rows.find(({ kind }) => kind === 'decision')
  const trades = rows.filter(({ kind }) => kind === 'trade').flatMap((row) => tradeOf(row, rows) ?? [])
  const head = decision ?? rows.at(-1)!
  const seenIn = rows.map(dataOf).find(({ seen }) => typeof seen === 'object' && seen !== null)
  const rules = decision ? rulesOf(decision) : []
  const explained = new Set(rules.flatMap(({ hold }) => hold?.message ?? []))
  const problems = rows
    .filter((row) => row !== head && (row.kind === 'hold' || row.kind === 'error'))
    .filter(({ message }) => !explained.has(message ?? ''))
    .map(({ code, message }) => ({ code: code ?? null, message: message ?? '' }))
  return {
    id: rows.at(-1)!.id,
    atS: head.ts,
    tick: head.tick ?? null,
    outcome: outcomeOf(rows, trades),
    code: head.code ?? null,
    reason: head.message ?? '',
    seen: (seenIn?.['seen'] as SeenInput | undefined) ?? null,
    rules,
    trades,
    problems,
    more: 0,
  }
}

function outcomeOf(rows: readonly LogRow[], trades: readonly TradeOf[]): TickOutcome {
  const has = (kind: LogRow['kind']) => rows.some((row) => row.kind === kind)
  if (has('error')) return 'failed'
  if (trades.length > 0) return 'traded'
  if (has('hold')) return 'blocked'
  return has('decision') ? 'idle' : 'event'
}

function rulesOf(decision: LogRow): RuleResult[] {
  const data = dataOf(decision)
  const decided = (data['decided'] ?? []) as Omit<OrderOf, 'n'>[]
  const outcome = (data['outcome'] ?? []) as { n: number; outcome: string; code?: string; message?: string }[]
  return decided.map((order, n) => {
    const verdict = outcome.find((one) => one.n === n)
    const isHeld = verdict?.outcome === 'held'
    return {
      order: { n, ...order },
      hold: isHeld ? { code: verdict.code ?? '', message: verdict.message ?? '' } : null,
    }
  })
}

/** Trades of one pair for its price chart. */
export const fillsOf = (rows: readonly LogRow[], pair: string): Fill[] =>
  rows
    .flatMap((row) => (row.kind === 'trade' ? (tradeOf(row, []) ?? []) : []))
    .filter(({ order }) => order.pair === pair)
    .map(({ order, atS }) => ({ atS, side: order.side, text: usd(order.usd) }))
    .reverse()

/** Dollars ordered in the last 24 hours as of the newest decision, that decision included. */
export function dayUsedUsd(rows: readonly LogRow[]): number | null {
  for (const row of rows) {
    const data = dataOf(row)
    const seen = data['seen'] as SeenInput | undefined
    if (typeof seen?.day_used_usd !== 'number') continue
    const outcome = (data['outcome'] ?? []) as { outcome: string; usd?: number }[]
    const usedNow = outcome
      .filter((one) => one.outcome === 'begun')
      .reduce((sum, one) => sum + (one.usd ?? 0), 0)
    return seen.day_used_usd + usedNow
  }
  return null
}
