import type { BrainBook, BrainMarket, BrainResult, Decision } from '@pit/brains'
import { usdOf } from '@pit/protocol'
import type { LogEntry } from '../types.ts'
import type { Judged } from './checks.ts'
import type { TickRecord } from './record.ts'
import type { ClaimedAgent } from './types.ts'

const MAX_WORDS = 1_000
const brief = (text: string): string => (text.length > MAX_WORDS ? `${text.slice(0, MAX_WORDS - 1)}…` : text)

/** The brain's input, as logged to explain the decision. */
export interface Seen {
  market: BrainMarket
  book: BrainBook
}

export function seenJson({ market, book }: Seen) {
  return {
    at: market.atS,
    pairs: market.pairs.map(({ pair, priceE18, stale, history }) => ({
      pair,
      price_usd: priceE18 === null ? null : Number(priceE18) / 1e18,
      ...(stale && { stale }),
      marks: history.length,
    })),
    cash_usd: usdOf(book.cashMicroUsd),
    equity_usd: book.equityMicroUsd === null ? null : usdOf(book.equityMicroUsd),
    day_used_usd: usdOf(book.dayUsedMicroUsd),
    positions: book.positions
      .filter(({ atoms }) => atoms > 0n)
      .map(({ token, atoms, microUsd }) => ({
        token,
        atoms: atoms.toString(),
        value_usd: microUsd === null ? null : usdOf(microUsd),
      })),
  }
}

export const orderJson = ({ pair, side, microUsd, reason }: Decision['orders'][number]) => ({
  pair: brief(pair).slice(0, 130),
  side,
  usd: usdOf(microUsd),
  reason: brief(reason),
})

/** Record of a decided tick: input, decision, and each order with its verdict. */
export function decisionRecord(request: {
  agent: ClaimedAgent
  decision: Decision
  data: unknown
  seen: Seen
  judged: readonly Judged[]
  atMs: number
}): TickRecord {
  const { agent, decision, data, seen, judged, atMs } = request
  const tick = agent.tick + 1
  const trades = judged.filter(({ trade }) => trade !== null)
  const held = judged.flatMap(({ n, order, hold }) => (hold ? [{ n, order, hold }] : []))
  const common = { agentId: agent.id, tick, atMs }
  const outcome = judged.map(({ n, hold, trade }) => ({
    n,
    ...(hold
      ? { outcome: 'held' as const, ...hold }
      : { outcome: 'begun' as const, usd: usdOf(trade!.microUsd) }),
  }))
  const logs: LogEntry[] = [
    {
      ...common,
      kind: 'decision',
      message: brief(decision.reason),
      data: {
        seen: seenJson(seen),
        decided: decision.orders.map(orderJson),
        outcome,
        ...(data !== undefined && { brain: data }),
      },
    },
    ...held.map(
      ({ n, order, hold }): LogEntry => ({
        ...common,
        kind: 'hold',
        code: hold.code,
        message: hold.message,
        data: { order: { n, ...orderJson(order) } },
      }),
    ),
  ]
  return {
    agent,
    tick,
    state: decision.state,
    lastDecision: {
      tick,
      at: Math.floor(atMs / 1_000),
      reason: brief(decision.reason),
      orders: decision.orders.map(orderJson),
      outcome,
    },
    logs,
    orders: trades.map(({ n, order, trade }) => ({
      n,
      pair: order.pair,
      side: order.side,
      microUsd: trade!.microUsd,
      signed: trade!.signed ?? null,
    })),
  }
}

/** Record of a tick without a decision, with the reason. */
export function holdRecord(
  agent: ClaimedAgent,
  { kind, code, message, data }: Exclude<BrainResult, { kind: 'decision' }>,
  { seen, atMs }: { seen?: Seen; atMs: number },
): TickRecord {
  const tick = agent.tick + 1
  const shown = { ...(seen && { seen: seenJson(seen) }), ...(data !== undefined && { brain: data }) }
  return {
    agent,
    tick,
    state: undefined,
    lastDecision: {
      tick,
      at: Math.floor(atMs / 1_000),
      orders: [],
      outcome: [],
      [kind]: code,
      reason: brief(message),
      ...(kind === 'error' && { errors_in_a_row: agent.errorsInARow + 1 }),
    },
    logs: [
      {
        agentId: agent.id,
        tick,
        atMs,
        kind,
        code,
        message: brief(message),
        ...(Object.keys(shown).length > 0 && { data: shown }),
      },
    ],
    orders: [],
  }
}
