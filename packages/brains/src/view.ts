import { bpsTowardsZero, DAY_S, maxOf, priceUsdOf, usdOf } from '@pit/protocol'
import { plainText } from './text.ts'
import type { BrainBook, BrainLimits, BrainMarket, Mark, PairNow } from './types.ts'

/** Token names come from deployers: short, one line, no invisible characters. */
const SYMBOL_CHARS = 24
const HOUR_S = 3_600

/** Nine significant digits. */
export const priceOf = (priceE18: bigint): number => Number(priceUsdOf(priceE18).toPrecision(9))

/** Every nth mark, always including the newest. */
export function thin(history: readonly Mark[], max: number): readonly Mark[] {
  const step = Math.max(1, Math.ceil(history.length / max))
  return history.filter((_, index) => (history.length - 1 - index) % step === 0)
}

function changeBps({ history, priceE18 }: PairNow, sinceS: number): number | null {
  const then = history.findLast((mark) => mark.atS <= sinceS)
  if (priceE18 === null || then === undefined || then.priceE18 <= 0n || sinceS - then.atS > HOUR_S / 4)
    return null
  return Number(bpsTowardsZero(priceE18 - then.priceE18, then.priceE18))
}

/** The market as sent to a webhook or a model: dollars as numbers, bounded size. */
export const marketView = (market: BrainMarket, points: number) => ({
  pairs: market.pairs.map((pair) => ({
    pair: pair.pair,
    base: plainText(pair.baseSymbol, SYMBOL_CHARS),
    quote: plainText(pair.quoteSymbol, SYMBOL_CHARS),
    price: pair.priceE18 === null ? null : priceOf(pair.priceE18),
    stale: pair.stale,
    change_1h_bps: changeBps(pair, market.atS - HOUR_S),
    change_24h_bps: changeBps(pair, market.atS - DAY_S),
    history: thin(pair.history, points).map((mark) => ({ at: mark.atS, price: priceOf(mark.priceE18) })),
  })),
})

export const bookView = (book: BrainBook) => ({
  cash_usd: usdOf(book.cashMicroUsd),
  equity_usd: book.equityMicroUsd === null ? null : usdOf(book.equityMicroUsd),
  positions: book.positions.map((position) => ({
    token: position.token,
    symbol: plainText(position.symbol, SYMBOL_CHARS),
    amount_atoms: position.atoms.toString(),
    value_usd: position.microUsd === null ? null : usdOf(position.microUsd),
  })),
})

export const limitsView = (limits: BrainLimits, book: BrainBook, maxOrders: number) => ({
  max_trade_usd: usdOf(limits.maxTradeMicroUsd),
  max_day_usd: usdOf(limits.maxDayMicroUsd),
  day_left_usd: usdOf(maxOf(0n, limits.maxDayMicroUsd - book.dayUsedMicroUsd)),
  max_position_usd: usdOf(limits.maxPositionMicroUsd),
  max_orders: maxOrders,
})
