import type { Purse } from './purse.ts'
import type { Decision, Order, PairNow } from './types.ts'

/** The longest reason a rule brain writes. */
const REASON_CHARS = 500

/** Collects a tick's orders and, for what was not ordered, why. */
export interface Tally {
  order(pair: PairNow, side: 'buy' | 'sell', wanted: bigint, reason: string, step?: bigint): bigint
  hold(pair: PairNow, why: string): void
  decision(state: Record<string, unknown> | null): Decision
}

export function openTally(purse: Purse): Tally {
  const orders: Order[] = []
  const notes: string[] = []
  const hold = (pair: PairNow, why: string) => void notes.push(`${pair.pair}: ${why}`)
  return {
    /** Answers what was ordered; 0 when nothing fits. */
    order(pair, side, wanted, reason, step) {
      const taken = purse.take(pair, side, wanted, step)
      if (typeof taken !== 'bigint') {
        hold(pair, `${reason}, but ${taken.why}`)
        return 0n
      }
      orders.push({ pair: pair.pair, side, microUsd: taken, reason })
      return taken
    },
    hold,
    decision: (state) => ({ orders, reason: said(orders, notes), state }),
  }
}

function said(orders: readonly Order[], notes: readonly string[]): string {
  const all = [...orders.map((order) => `${order.pair}: ${order.side}, ${order.reason}`), ...notes]
  const text = all.length === 0 ? 'nothing to decide on' : all.join('; ')
  return text.length > REASON_CHARS ? `${text.slice(0, REASON_CHARS - 1)}…` : text
}

/** The price to decide on; a missing or stale one is noted and nothing is decided. */
export function freshPrice(pair: PairNow, tally: Tally): bigint | undefined {
  if (pair.priceE18 === null || pair.priceE18 <= 0n) tally.hold(pair, 'its price could not be read')
  else if (pair.stale) tally.hold(pair, 'its price is stale')
  else return pair.priceE18
  return undefined
}
