import {
  feeOf,
  markPrice,
  rescaleDown,
  TREASURY_BUCKETS,
  TREASURY_SPLIT_BPS,
  usdOf,
  worthDown,
} from '@pit/protocol'
import type { PerBucket, TokenText, WeekMark, WeekToken } from '../types.ts'

/** Less than this is not split but carried until there is more. */
export const DUST_MICRO_USD = 10_000n
const MICRO_PER_CENT = 10_000n
/** Languages write smaller numbers differently, and a row's hash must not depend on the language. */
const MIN_PRICE_MICRO_USD = 100n

export const perBucket = <T>(of: (bucket: (typeof TREASURY_BUCKETS)[number]) => T): PerBucket<T> => ({
  operations: of('operations'),
  buybacks: of('buybacks'),
  treasury: of('treasury'),
})

export const sumOf = (shares: PerBucket<bigint>): bigint =>
  TREASURY_BUCKETS.reduce((sum, bucket) => sum + shares[bucket], 0n)

/** Each bucket's share, rounded down; the remainder is carried to the next week. */
export function splitPool(pool: bigint): { booked: PerBucket<bigint>; left: bigint } {
  const booked = perBucket((bucket) => feeOf(pool, TREASURY_SPLIT_BPS[bucket]))
  return { booked, left: pool - sumOf(booked) }
}

/** A token's books before a row, and its income since. */
export interface TokenIncome extends TokenText {
  received: bigint
  trades: number
  outside: bigint
  outsideTrades: number
  carriedIn: bigint
  owedIn: PerBucket<bigint>
  /** Sent to the buckets and recorded with the week. */
  moved: PerBucket<bigint>
  mark: WeekMark | null
}

/**
 * A token's line of a week. The pool is all income plus the carried amount; a pool without a price or below
 * the dust limit is carried whole. Always: pool = received + outside + carried_in = booked + carried_out.
 */
export function weekToken(income: TokenIncome): WeekToken {
  const { token, symbol, decimals, received, outside, carriedIn, owedIn, moved, mark } = income
  const pool = received + outside + carriedIn
  const microUsd = mark && worthDown(pool, markPrice(mark.priceE18, decimals))
  const status = statusOf(pool, microUsd)
  const { booked, left } = status === 'split' ? splitPool(pool) : { booked: perBucket(() => 0n), left: pool }
  const texts = (shares: PerBucket<bigint>) => perBucket((bucket) => shares[bucket].toString())
  return {
    token,
    symbol,
    decimals,
    received: received.toString(),
    trades: income.trades,
    outside: outside.toString(),
    outside_trades: income.outsideTrades,
    carried_in: carriedIn.toString(),
    pool: pool.toString(),
    status,
    booked: texts(booked),
    moved: texts(moved),
    owed_in: texts(owedIn),
    owed_out: texts(perBucket((bucket) => owedIn[bucket] + booked[bucket] - moved[bucket])),
    carried_out: left.toString(),
    value_usd: microUsd === null ? null : Number(microUsd / MICRO_PER_CENT) / 100,
    mark: mark && describeMark(mark),
  }
}

function statusOf(pool: bigint, microUsd: bigint | null): WeekToken['status'] {
  if (pool === 0n) return 'nothing'
  if (microUsd === null) return 'unpriced'
  return microUsd < DUST_MICRO_USD ? 'dust' : 'split'
}

const describeMark = ({ priceE18, source, minuteS, stale }: WeekMark) => {
  const microUsd = rescaleDown(priceE18, 18, 6)
  return {
    price_usd: microUsd < MIN_PRICE_MICRO_USD ? 0 : usdOf(microUsd),
    price_e18: priceE18.toString(),
    source,
    at: minuteS,
    stale,
  }
}
