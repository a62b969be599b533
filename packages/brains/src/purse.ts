import { MICRO_USD_PER_USD, maxOf, microUsdDown, minOf, TRADE } from '@pit/protocol'
import type { BrainBook, BrainLimits, PairNow } from './types.ts'

/** Reserve when buying, for gas and rounding: one percent of the quote balance, at least 25 cents. */
const RESERVE_DIVISOR = 100n
const MIN_RESERVE = MICRO_USD_PER_USD / 4n
/** Minimum order size, as for any trade. */
export const MIN_ORDER_MICRO_USD = microUsdDown(TRADE.minNotionalUsd)

export const CASH_TOKEN = 'USDG'

/** Remaining order capacity of a tick. Every rule brain orders through it, so limits always apply. */
export interface Purse {
  /** Value of a token in the book, less this tick's sales; null without a price. */
  holding(token: string): bigint | null
  /**
   * Takes an order of up to `wanted` and returns its size, or why nothing fits. `step` rounds down to whole
   * steps.
   */
  take(pair: PairNow, side: 'buy' | 'sell', wanted: bigint, step?: bigint): bigint | { why: string }
}

export function openPurse(book: BrainBook, limits: BrainLimits): Purse {
  const held = new Map<string, bigint | null>()
  const bought = new Map<string, bigint>()
  held.set(CASH_TOKEN, book.cashMicroUsd)
  for (const { token, microUsd } of book.positions) if (token !== CASH_TOKEN) held.set(token, microUsd)
  const atFirst = new Map(held)
  let dayLeft = maxOf(0n, limits.maxDayMicroUsd - book.dayUsedMicroUsd)

  const holding = (token: string): bigint | null => {
    const value = held.get(token)
    return value === undefined ? 0n : value
  }
  const spend = (token: string, microUsd: bigint) => {
    const value = holding(token)
    if (value !== null) held.set(token, value - microUsd)
  }

  function room(pair: PairNow, side: 'buy' | 'sell'): { max: bigint; bound: string } | { why: string } {
    const base = holding(pair.base)
    if (base === null) return { why: `the value of ${pair.base} is unknown` }
    if (side === 'sell') return { max: base, bound: `the book holds too little ${pair.base}` }
    const quote = holding(pair.quote)
    if (quote === null) return { why: `the value of ${pair.quote} is unknown` }
    const spendable = maxOf(0n, quote - maxOf(quote / RESERVE_DIVISOR, MIN_RESERVE))
    // Based on the initial holding: a sale of this tick may still fail.
    const wouldHold = (atFirst.get(pair.base) ?? 0n) + (bought.get(pair.base) ?? 0n)
    const roomLeft = maxOf(0n, limits.maxPositionMicroUsd - wouldHold)
    return spendable < roomLeft
      ? { max: spendable, bound: `the book holds too little ${pair.quote}` }
      : { max: roomLeft, bound: `${pair.base} is at its position limit` }
  }

  return {
    holding,
    take(pair, side, wanted, step) {
      if (pair.priceE18 === null || pair.priceE18 <= 0n) return { why: 'its price is unavailable' }
      if (pair.stale) return { why: 'its price is stale' }
      const capacity = room(pair, side)
      if ('why' in capacity) return capacity
      const size = minOf(wanted, capacity.max, limits.maxTradeMicroUsd, dayLeft)
      const whole = step === undefined ? size : size - (size % step)
      if (whole < MIN_ORDER_MICRO_USD) {
        if (wanted < MIN_ORDER_MICRO_USD) return { why: 'the order would be below 1 USD' }
        if (capacity.max <= dayLeft && capacity.max <= limits.maxTradeMicroUsd) return { why: capacity.bound }
        return {
          why: dayLeft < wanted ? 'the daily limit is used up' : 'the limit per trade is too small',
        }
      }
      dayLeft -= whole
      spend(side === 'buy' ? pair.quote : pair.base, whole)
      if (side === 'buy') bought.set(pair.base, (bought.get(pair.base) ?? 0n) + whole)
      return whole
    },
  }
}
