import type { Purse } from './purse.ts'
import type { Decision, Order, PairNow } from './types.ts'

/** Maximum length of a rule brain's reason. */
const REASON_CHARS = 500

/** Collects a tick's orders, and reasons for pairs without an order. */
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
    /** Returns the ordered size; 0 if nothing fits. */
    order(pair, side, wanted, reason, step) {
      const size = purse.take(pair, side, wanted, step)
      if (typeof size !== 'bigint') {
        hold(pair, `${reason}, but ${size.why}`)
        return 0n
      }
      orders.push({ pair: pair.pair, side, microUsd: size, reason })
      return size
    },
    hold,
    decision: (state) => ({ orders, reason: reasonOf(orders, notes), state }),
  }
}

function reasonOf(orders: readonly Order[], notes: readonly string[]): string {
  const all = [...orders.map((order) => `${order.pair}: ${order.side}, ${order.reason}`), ...notes]
  const text = all.length === 0 ? 'nothing to decide on' : all.join('; ')
  return text.length > REASON_CHARS ? `${text.slice(0, REASON_CHARS - 1)}…` : text
}

/** The price to decide on; notes a hold if it is missing or stale. */
export function freshPrice(pair: PairNow, tally: Tally): bigint | undefined {
  if (pair.priceE18 === null || pair.priceE18 <= 0n) tally.hold(pair, 'its price is unavailable')
  else if (pair.stale) tally.hold(pair, 'its price is stale')
  else return pair.priceE18
  return undefined
}
