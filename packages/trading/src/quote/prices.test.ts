import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  atomsFor,
  fractionOf,
  markPriceOf,
  microUsdOf,
  priceOf,
  referencePriceOf,
  unitPrice,
  unitUsd,
  worthOf,
} from './prices.ts'
import { JUNK, record, reference, usd } from './test/fakeWorld.ts'

describe('dollars of a request', () => {
  it.each([
    [1, 1_000_000n],
    [0.1, 100_000n],
    [25.1, 25_100_000n],
    [1.005, 1_005_000n],
    [9_999.999999, 9_999_999_999n],
    [1.0000019, 1_000_001n],
    [1e-7, 0n],
    [1e21, 10n ** 27n],
    [0, 0n],
    [-5, 0n],
    [Number.NaN, 0n],
    [Number.POSITIVE_INFINITY, 0n],
  ])('%d is %d millionths', (dollars, micro) => {
    expect(microUsdOf(dollars)).toBe(micro)
  })

  it('are exact for every amount that six decimals can say', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000_000_000 }), (micro) => {
        const text = `${Math.floor(micro / 1e6)}.${String(micro % 1e6).padStart(6, '0')}`
        expect(microUsdOf(JSON.parse(text))).toBe(BigInt(micro))
      }),
    )
  })

  it('are never rounded up', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-9, max: 1e7, noNaN: true }), (dollars) => {
        const { num, den } = fractionOf(dollars)!
        const micro = microUsdOf(dollars)
        expect(micro * den <= num * 1_000_000n && (micro + 1n) * den > num * 1_000_000n).toBe(true)
      }),
    )
  })
})

describe('a fraction', () => {
  it('has the very digits of its number', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-18, max: 1e18, noNaN: true }), (value) => {
        const { num, den } = fractionOf(value)!
        const shift = 10n ** 40n
        const digits = `${(num * shift) / den}`
        expect(Number(`${digits}e-40`)).toBe(value)
      }),
    )
  })
})

describe('a price', () => {
  const anyPrice = fc
    .record({
      priceE18: fc.bigInt({ min: 1n, max: 10n ** 30n }),
      decimals: fc.integer({ min: 0, max: 36 }),
    })
    .map(({ priceE18, decimals }) => markPriceOf({ mark: { ...usd(1), priceE18 }, decimals })!)

  it('never gives more atoms than the dollars buy, nor one atom too few', () => {
    fc.assert(
      fc.property(anyPrice, fc.bigInt({ min: 1n, max: 10n ** 10n }), (price, micro) => {
        const atoms = atomsFor(micro, price)
        expect(worthOf(atoms, price)).toBeLessThanOrEqual(micro)
        expect((atoms + 1n) * price.num > micro * price.den).toBe(true)
      }),
    )
  })

  it('values atoms rounded down, and more atoms never less', () => {
    fc.assert(
      fc.property(anyPrice, fc.bigInt({ min: 0n, max: 1n << 128n }), (price, atoms) => {
        const micro = worthOf(atoms, price)
        expect(micro * price.den <= atoms * price.num && (micro + 1n) * price.den > atoms * price.num).toBe(
          true,
        )
        expect(worthOf(atoms + 1n, price)).toBeGreaterThanOrEqual(micro)
      }),
    )
  })

  it('is the mark, else what the record compares with, else none', () => {
    const marked = { mark: usd(3), record: record(JUNK, { reference: reference(5) }), decimals: 6 }
    expect(worthOf(1_000_000n, priceOf(marked)!)).toBe(3_000_000n)
    expect(unitUsd(marked)).toBe(3)
    const referred = { ...marked, mark: undefined }
    expect(worthOf(1_000_000n, priceOf(referred)!)).toBe(5_000_000n)
    expect(unitUsd(referred)).toBe(5)
    const nothing = { mark: undefined, record: record(JUNK), decimals: 6 }
    expect([priceOf(nothing), referencePriceOf(nothing), unitUsd(nothing)]).toEqual([
      undefined,
      undefined,
      null,
    ])
  })

  it('tells a token worth less than a millionth of a millionth', () => {
    const price = unitPrice(1.25e-15, 18)!
    expect(atomsFor(1_000_000n, price)).toBe(8n * 10n ** 32n)
  })
})
