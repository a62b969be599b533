import { atomsDown, unitPrice, worthDown } from '@pit/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { markPriceOf, priceOf, referencePriceOf, unitUsd } from './prices.ts'
import { JUNK, record, reference, usd } from './test/fakeWorld.ts'

describe('a price', () => {
  const anyPrice = fc
    .record({
      priceE18: fc.bigInt({ min: 1n, max: 10n ** 30n }),
      decimals: fc.integer({ min: 0, max: 36 }),
    })
    .map(({ priceE18, decimals }) => markPriceOf({ mark: { ...usd(1), priceE18 }, decimals })!)

  it('rounds atoms for dollars down, by less than one atom', () => {
    fc.assert(
      fc.property(anyPrice, fc.bigInt({ min: 1n, max: 10n ** 10n }), (price, micro) => {
        const atoms = atomsDown(micro, price)
        expect(worthDown(atoms, price)).toBeLessThanOrEqual(micro)
        expect((atoms + 1n) * price.num > micro * price.den).toBe(true)
      }),
    )
  })

  it('rounds values down and is monotonic', () => {
    fc.assert(
      fc.property(anyPrice, fc.bigInt({ min: 0n, max: 1n << 128n }), (price, atoms) => {
        const micro = worthDown(atoms, price)
        expect(micro * price.den <= atoms * price.num && (micro + 1n) * price.den > atoms * price.num).toBe(
          true,
        )
        expect(worthDown(atoms + 1n, price)).toBeGreaterThanOrEqual(micro)
      }),
    )
  })

  it('is the mark, else the record’s reference, else none', () => {
    const marked = { mark: usd(3), record: record(JUNK, { reference: reference(5) }), decimals: 6 }
    expect(worthDown(1_000_000n, priceOf(marked)!)).toBe(3_000_000n)
    expect(unitUsd(marked)).toBe(3)
    const referred = { ...marked, mark: undefined }
    expect(worthDown(1_000_000n, priceOf(referred)!)).toBe(5_000_000n)
    expect(unitUsd(referred)).toBe(5)
    const nothing = { mark: undefined, record: record(JUNK), decimals: 6 }
    expect([priceOf(nothing), referencePriceOf(nothing), unitUsd(nothing)]).toEqual([
      undefined,
      undefined,
      null,
    ])
  })

  it('prices a token below 10^-12 USD', () => {
    const price = unitPrice(1.25e-15, 18)!
    expect(atomsDown(1_000_000n, price)).toBe(8n * 10n ** 32n)
  })
})
