import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fixedText } from './decimals.ts'
import { microUsdDown, microUsdUp, priceE18Down, priceUsdOf, usdOf } from './dollars.ts'
import { exchangeUp, markPrice, unitPrice, worthDown, worthNearest, worthUp } from './prices.ts'
import { beforeBps, lessBps } from './shares.ts'

/**
 * The same conversions were once written several times and rounded differently. Here is where those ways
 * agreed with what there is now, and, where they did not, which is right and why.
 */

const E18 = 10n ** 18n
const byRounding = (usd: number): bigint => BigInt(Math.round(usd * 1e6))
const byCeiling = (usd: number): bigint => BigInt(Math.ceil(usd * 1e6 - 1e-6))

describe('dollars as micro-dollars', () => {
  const sixDecimals = fc.bigInt({ min: 0n, max: 10n ** 15n }).map((micro) => Number(fixedText(micro, 6)))

  it('came to the same for every amount of up to six decimals', () => {
    fc.assert(
      fc.property(sixDecimals, (usd) => {
        expect(byRounding(usd)).toBe(microUsdDown(usd))
      }),
    )
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000_000 }), (micro) => {
        expect(byCeiling(micro / 1e6)).toBe(microUsdUp(micro / 1e6))
      }),
    )
  })

  it('were let past a bound by rounding: a trade is at least 1 dollar, a limit no more than it says', () => {
    expect([byRounding(0.9999996), microUsdDown(0.9999996)]).toEqual([1_000_000n, 999_999n])
    expect([byRounding(25.0000006), microUsdDown(25.0000006)]).toEqual([25_000_001n, 25_000_000n])
  })

  it('lost digits beyond what a double of micro-dollars can hold', () => {
    expect(byRounding(1_234_567_800_001.11)).toBe(1_234_567_800_001_110_016n)
    expect(microUsdDown(1_234_567_800_001.11)).toBe(1_234_567_800_001_110_000n)
  })

  it('counted a cost as less by its allowance for floats, or a price as more for want of one', () => {
    expect([byCeiling(0.0000010000005), microUsdUp(0.0000010000005)]).toEqual([1n, 2n])
    expect([BigInt(Math.ceil(2.007 * 1e6)), microUsdUp(2.007)]).toEqual([2_007_001n, 2_007_000n])
  })
})

describe('numbers on the wire', () => {
  it('were the same dollars up to nine billion', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 53n), max: 2n ** 53n }), (micro) => {
        expect(usdOf(micro)).toBe(Number(micro) / 1e6 || 0)
      }),
    )
  })

  it('showed prices a step of a double beside their own digits', () => {
    expect(Number(590_310_000_000_000_000_000n) / 1e18).toBe(590.3100000000001)
    expect(priceUsdOf(590_310_000_000_000_000_000n)).toBe(590.31)
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 27n }), (priceE18) => {
        const divided = Number(priceE18) / 1e18
        const nearest = priceUsdOf(priceE18)
        expect(Math.abs(divided - nearest) <= 2 ** -51 * nearest).toBe(true)
      }),
    )
  })
})

describe('prices and amounts', () => {
  it('kept nine decimals of a price that was named, too few for a small one', () => {
    const nineDecimals = (usd: number): bigint => BigInt(Math.round(usd * 1e9)) * 1_000_000_000n
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000_000_000 }), (micro) => {
        expect(nineDecimals(micro / 1e6)).toBe(priceE18Down(micro / 1e6))
      }),
    )
    expect([nineDecimals(0.00000000012), priceE18Down(0.00000000012)]).toEqual([0n, 120_000_000n])
    expect([nineDecimals(1.6e-9), priceE18Down(1.6e-9)]).toEqual([2_000_000_000n, 1_600_000_000n])
  })

  it('valued what is held without a mark by floats, which may fall short of the limit it has to keep', () => {
    const byFloats = (atoms: bigint, decimals: number, usd: number): bigint =>
      BigInt(Math.ceil((Number(atoms) / 10 ** decimals) * usd * 1e6))
    const atoms = 10n ** 34n + 1n
    expect(byFloats(atoms, 18, 1)).toBe(10n ** 22n)
    expect(worthUp(atoms, unitPrice(1, 18)!)).toBe(10n ** 22n + 1n)
  })

  it('divided once or twice by the same scale', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 1n << 128n }),
        fc.bigInt({ min: 1n, max: 10n ** 30n }),
        (atoms, e18) => {
          expect(worthDown(atoms, markPrice(e18, 18))).toBe((atoms * e18) / E18 / 10n ** 12n)
        },
      ),
    )
  })

  it('rounded gas up in dollars and in USDG, against the trader', () => {
    const wei = fc.bigInt({ min: 0n, max: 10n ** 24n })
    fc.assert(
      fc.property(wei, fc.bigInt({ min: 1n, max: 10n ** 24n }), (cost, ethE18) => {
        const ceiling = (value: bigint, by: bigint) => (value + by - 1n) / by
        expect(worthUp(cost, markPrice(ethE18, 18))).toBe(ceiling(cost * ethE18, 10n ** 30n))
        const inUsdg = exchangeUp(cost, markPrice(ethE18, 18), markPrice(E18, 6))
        expect(inUsdg).toBe(ceiling(cost * ethE18, 10n ** 30n))
      }),
    )
  })

  it('showed gas in dollars to the same millionth, but for a float’s last digit', () => {
    const gas = fc.integer({ min: 21_000, max: 6_000_000 })
    const gasPriceWei = fc.bigInt({ min: 1n, max: 10n ** 12n })
    const ethUsd = fc.integer({ min: 1, max: 1_000_000 }).map((cents) => cents / 100)
    fc.assert(
      fc.property(gas, gasPriceWei, ethUsd, (used, price, usd) => {
        const byFloats = Math.round(used * (Number(price) / 1e18) * usd * 1e6)
        const exact = worthNearest(BigInt(used) * price, unitPrice(usd, 18)!)
        expect(Math.abs(Number(exact) - byFloats)).toBeLessThanOrEqual(1)
      }),
    )
  })

  it('searched step by step for what was there before a fee', () => {
    const searched = (wanted: bigint, bps: number): bigint => {
      let amount = (wanted * 10_000n) / (10_000n - BigInt(bps))
      while (lessBps(amount, bps) < wanted) amount++
      while (amount > 0n && lessBps(amount - 1n, bps) >= wanted) amount--
      return amount
    }
    const rate = fc.integer({ min: 0, max: 9_999 })
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 1n << 128n }), rate, (wanted, bps) => {
        expect(beforeBps(wanted, bps)).toBe(searched(wanted, bps))
      }),
    )
  })
})
