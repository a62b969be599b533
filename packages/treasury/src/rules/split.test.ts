import { NATIVE_TOKEN } from '@pit/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { perBucket, splitPool, sumOf, type TokenIncome, weekToken } from './split.ts'

const income = (own: Partial<TokenIncome>): TokenIncome => ({
  token: NATIVE_TOKEN,
  symbol: 'ETH',
  decimals: 18,
  received: 0n,
  trades: 0,
  outside: 0n,
  outsideTrades: 0,
  carriedIn: 0n,
  owedIn: perBucket(() => 0n),
  moved: perBucket(() => 0n),
  mark: { priceE18: 2_500n * 10n ** 18n, source: 'oracle_feed', minuteS: 60, stale: false },
  ...own,
})

describe('a split', () => {
  it('is 50, 40 and 10 percent, rounded down, the rest left over', () => {
    expect(splitPool(10_000n)).toEqual({
      booked: { operations: 5_000n, buybacks: 4_000n, treasury: 1_000n },
      left: 0n,
    })
    expect(splitPool(19n)).toEqual({ booked: { operations: 9n, buybacks: 7n, treasury: 1n }, left: 2n })
    fc.assert(
      fc.property(fc.bigInt(0n, 2n ** 256n), (pool) => {
        const { booked, left } = splitPool(pool)
        expect(sumOf(booked) + left).toBe(pool)
        expect(left >= 0n && left <= 2n).toBe(true)
      }),
    )
  })

  it('splits income and carried amounts', () => {
    expect(weekToken(income({ received: 10n ** 16n, outside: 5n, carriedIn: 4n, trades: 3 }))).toMatchObject({
      pool: '10000000000000009',
      status: 'split',
      booked: { operations: '5000000000000004', buybacks: '4000000000000003', treasury: '1000000000000000' },
      carried_out: '2',
      value_usd: 25,
      mark: {
        price_usd: 2500,
        price_e18: '2500000000000000000000',
        source: 'oracle_feed',
        at: 60,
        stale: false,
      },
    })
  })

  it('waits for a price, and for a cent', () => {
    expect(weekToken(income({ received: 10n ** 20n, mark: null }))).toMatchObject({
      status: 'unpriced',
      carried_out: '100000000000000000000',
      value_usd: null,
      mark: null,
    })
    const cent = 4_000_000_000_000n
    expect(weekToken(income({ received: cent - 1n }))).toMatchObject({ status: 'dust', value_usd: 0 })
    expect(weekToken(income({ received: cent - 1n }))).toMatchObject({ carried_out: String(cent - 1n) })
    expect(weekToken(income({ received: cent }))).toMatchObject({ status: 'split', value_usd: 0.01 })
    expect(weekToken(income({}))).toMatchObject({ status: 'nothing', pool: '0' })
  })

  it('writes a price as a number that every language writes alike, and exactly beside it', () => {
    const markOf = (priceE18: bigint) =>
      weekToken(income({ received: 1n, mark: { priceE18, source: 'twap', minuteS: 60, stale: true } })).mark!
    expect(markOf(1_230n)).toMatchObject({ price_usd: 0, price_e18: '1230' })
    expect(markOf(123_456_789_012_345n)).toMatchObject({ price_usd: 0.000123, price_e18: '123456789012345' })
    // Python and JavaScript write the same digits from 0.0001 on; below that only JavaScript has no exponent.
    fc.assert(
      fc.property(fc.bigInt(0n, 10n ** 26n), (priceE18) => {
        const { price_usd, price_e18 } = markOf(priceE18)
        expect(typeof price_usd).toBe('number')
        expect(price_usd === 0 || price_usd >= 0.0001).toBe(true)
        expect(JSON.stringify(price_usd)).toMatch(/^(0|[1-9]\d*)(\.\d{1,6})?$/)
        expect(price_e18).toBe(priceE18.toString())
      }),
    )
  })

  it('lowers the owed amount by the week’s transfers', () => {
    const moved = { operations: 5n, buybacks: 0n, treasury: 0n }
    const line = weekToken(income({ received: 10n ** 16n, owedIn: perBucket(() => 7n), moved }))
    expect(line).toMatchObject({
      moved: { operations: '5', buybacks: '0', treasury: '0' },
      owed_out: { operations: '5000000000000002', buybacks: '4000000000000007' },
    })
  })
})
