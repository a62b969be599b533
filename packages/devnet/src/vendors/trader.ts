import { createHash } from 'node:crypto'

/**
 * The gateway's model: reads the market quoted in a prompt and decides deterministically. It understands the
 * usual parts of a trading prompt (pairs with prices, changes or histories, a book, limits) without one exact
 * format.
 */

export interface Order {
  pair: string
  side: 'buy' | 'sell'
  usd: number
  reason: string
}

interface PairView {
  pair: string
  price: number | undefined
  changeBps: number | undefined
}

interface MarketView {
  pairs: PairView[]
  maxTradeUsd: number
  maxOrders: number
}

/** Every outermost JSON object or array in the text. */
export function quotedJson(text: string): unknown[] {
  const values: unknown[] = []
  const opening = /[{[]/g
  let at = 0
  // Each opening is scanned to its close: bounded, so that a prompt of brackets cannot hang the process.
  let scansLeft = 8_000_000
  while (scansLeft > 0) {
    opening.lastIndex = at
    const start = opening.exec(text)?.index
    if (start === undefined) break
    const end = closingOf(text, start)
    scansLeft -= (end < 0 ? text.length : end) - start
    if (end < 0) {
      at = start + 1
      continue
    }
    try {
      values.push(JSON.parse(text.slice(start, end)))
      at = end
    } catch {
      at = start + 1
    }
  }
  return values
}

/** The index after the bracket that closes the one at `start`, or -1. */
function closingOf(text: string, start: number): number {
  let depth = 0
  let inString = false
  for (let i = start; i < text.length; i++) {
    const c = text[i]
    if (inString) {
      if (c === '\\') i += 1
      else if (c === '"') inString = false
    } else if (c === '"') inString = true
    else if (c === '{' || c === '[') depth += 1
    else if (c === '}' || c === ']') {
      depth -= 1
      if (depth === 0) return i + 1
    }
  }
  return -1
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const finite = (value: unknown): number | undefined => {
  const n = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof n === 'number' && Number.isFinite(n) ? n : undefined
}
const firstNumber = (row: Record<string, unknown>, names: string[]) =>
  names.map((name) => finite(row[name])).find((n) => n !== undefined)
const PAIR = /^[A-Za-z0-9.$_-]{1,42}\/[A-Za-z0-9.$_-]{1,42}$/

function changeOf(row: Record<string, unknown>): number | undefined {
  const bps = firstNumber(row, ['change_bps', 'change_1h_bps', 'change_24h_bps'])
  if (bps !== undefined) return bps
  const percent = firstNumber(row, ['change_pct', 'change_1h_pct', 'change_24h_pct'])
  if (percent !== undefined) return percent * 100
  const history = [row.history, row.closes, row.prices, row.marks].find(Array.isArray) as
    | unknown[]
    | undefined
  const points = (history ?? []).map((p) => finite(isRecord(p) ? (p.price ?? p.mark ?? p.usd) : p))
  const [first, last] = [points[0], points.at(-1)]
  return first && last ? (last / first - 1) * 10_000 : undefined
}

const viewOf = (pair: string, row: Record<string, unknown>): PairView => ({
  pair,
  price: firstNumber(row, ['price', 'mid', 'mark', 'price_usd', 'mark_usd', 'last']),
  changeBps: changeOf(row),
})

export function readMarket(quoted: unknown[]): MarketView {
  const pairs = new Map<string, PairView>()
  const view: MarketView = { pairs: [], maxTradeUsd: 25, maxOrders: 3 }
  const add = (row: PairView) => {
    const pair = pairs.get(row.pair)
    if (!pair || (pair.price === undefined && row.price !== undefined)) pairs.set(row.pair, row)
  }
  const walk = (value: unknown, depth: number): void => {
    if (depth > 6) return
    if (Array.isArray(value)) {
      for (const item of value.slice(0, 200)) {
        if (typeof item === 'string' && PAIR.test(item)) add(viewOf(item, {}))
        else walk(item, depth + 1)
      }
      return
    }
    if (!isRecord(value)) return
    if (typeof value.pair === 'string' && PAIR.test(value.pair)) add(viewOf(value.pair, value))
    view.maxTradeUsd = finite(value.max_trade_usd) ?? view.maxTradeUsd
    view.maxOrders = finite(value.max_orders) ?? view.maxOrders
    for (const [key, inner] of Object.entries(value)) {
      if (PAIR.test(key)) add(viewOf(key, isRecord(inner) ? inner : { price: inner }))
      walk(inner, depth + 1)
    }
  }
  for (const value of quoted) walk(value, 0)
  view.pairs = [...pairs.values()]
  return view
}

const drawOf = (text: string) => createHash('sha256').update(text).digest().readUInt32BE(0) / 2 ** 32

/** Momentum if a change is known, otherwise a draw from the pair and its price. Within 10 bps it holds. */
export function decideOrders(view: MarketView, temper: 'usual' | 'eager' | 'hold' = 'usual'): Order[] {
  if (temper === 'hold') return []
  const cap = Math.max(1, view.maxTradeUsd)
  const orders = view.pairs.map((row): Order | undefined => {
    const key = `${row.pair}:${row.price ?? ''}:${row.changeBps ?? ''}`
    const signalBps = row.changeBps || (drawOf(key) - 0.5) * 120
    if (temper === 'usual' && Math.abs(signalBps) < 10) return undefined
    const side = signalBps > 0 ? 'buy' : 'sell'
    const usd = Math.round(Math.max(1, cap * (0.2 + 0.6 * drawOf(`${key}:size`))) * 100) / 100
    const reason = `${row.pair} moved ${Math.round(signalBps)} bps; following it with a part of the limit.`
    return { pair: row.pair, side, usd: Math.min(usd, cap), reason }
  })
  return orders.filter((order) => order !== undefined).slice(0, Math.max(0, Math.floor(view.maxOrders)))
}
