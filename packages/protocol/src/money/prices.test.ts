import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  atomsDown,
  countedMicroUsd,
  exchangeDown,
  exchangeUp,
  leastOut,
  markPrice,
  shortfallBpsUp,
  unitPrice,
  worthDown,
  worthNearest,
  worthUp,
} from './prices.ts'

const E18 = 10n ** 18n
const atoms = fc.bigInt({ min: 0n, max: 1n << 128n })
const micro = fc.bigInt({ min: 0n, max: 10n ** 16n })
const anyPrice = fc.oneof(
  fc
    .tuple(fc.bigInt({ min: 1n, max: 10n ** 36n }), fc.integer({ min: 0, max: 36 }))
    .map(([priceE18, decimals]) => markPrice(priceE18, decimals)),
  fc
    .tuple(fc.double({ min: 1e-24, max: 1e9, noNaN: true }), fc.integer({ min: 0, max: 36 }))
    .map(([usd, decimals]) => unitPrice(usd, decimals)!),
)

it('counts an input that fills a room as at most that room', () => {
  fc.assert(
    fc.property(micro, anyPrice, (room, price) => {
      expect(countedMicroUsd(atomsDown(room, price), price)).toBeLessThanOrEqual(room)
    }),
  )
})

describe('worth', () => {
  it('counts the least there is of a dollar as a micro-dollar where it is spent', () => {
    expect(worthUp(1n, markPrice(E18, 6))).toBe(1n)
    expect(worthUp(1n, markPrice(E18, 18))).toBe(1n)
  })

  it('is exact where it can be', () => {
    expect(worthDown(E18, markPrice(3_000n * E18, 18))).toBe(3_000_000_000n)
    expect(worthDown(1_999_999n, markPrice(E18, 6))).toBe(1_999_999n)
    expect(worthDown(1n, markPrice(3_000n * E18, 18))).toBe(0n)
    expect(worthUp(1n, markPrice(3_000n * E18, 18))).toBe(1n)
    expect(atomsDown(1_000_000n, unitPrice(1.25e-15, 18)!)).toBe(8n * 10n ** 32n)
    expect([0, -1, Number.NaN].map((usd) => unitPrice(usd, 6))).toEqual([undefined, undefined, undefined])
  })

  it('is the exact product rounded as the name says', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(1n << 128n), max: 1n << 128n }), anyPrice, (amount, price) => {
        const { num, den } = price
        const exact = amount * num
        const [down, up, near] = [worthDown, worthUp, worthNearest].map((of) => of(amount, price) * den)
        expect(down! <= exact && exact < down! + den).toBe(true)
        expect(up! >= exact && exact > up! - den).toBe(true)
        expect(2n * (near! - exact) <= den && 2n * (exact - near!) < den).toBe(true)
      }),
    )
  })

  it('takes an outflow for as much as the same amount spent', () => {
    fc.assert(
      fc.property(atoms, anyPrice, (amount, price) => {
        expect(worthDown(-amount, price)).toBe(-worthUp(amount, price))
      }),
    )
  })

  it('never grows by splitting what is held, nor shrinks by splitting what is spent', () => {
    fc.assert(
      fc.property(atoms, atoms, anyPrice, (a, b, price) => {
        expect(worthDown(a, price) + worthDown(b, price)).toBeLessThanOrEqual(worthDown(a + b, price))
        expect(worthUp(a, price) + worthUp(b, price)).toBeGreaterThanOrEqual(worthUp(a + b, price))
      }),
    )
  })

  it('never shrinks with more atoms', () => {
    fc.assert(
      fc.property(atoms, atoms, anyPrice, (amount, more, price) => {
        for (const of of [worthDown, worthUp, worthNearest]) {
          expect(of(amount + more, price)).toBeGreaterThanOrEqual(of(amount, price))
        }
      }),
    )
  })
})

describe('atoms for dollars', () => {
  it('are never worth more than the dollars, and one more would be', () => {
    fc.assert(
      fc.property(micro, anyPrice, (microUsd, price) => {
        const bought = atomsDown(microUsd, price)
        expect(worthUp(bought, price)).toBeLessThanOrEqual(microUsd)
        expect((bought + 1n) * price.num > microUsd * price.den).toBe(true)
      }),
    )
  })

  it('come back as at most the dollars, and at most the atoms', () => {
    fc.assert(
      fc.property(micro, atoms, anyPrice, (microUsd, held, price) => {
        expect(worthDown(atomsDown(microUsd, price), price)).toBeLessThanOrEqual(microUsd)
        expect(atomsDown(worthDown(held, price), price)).toBeLessThanOrEqual(held)
      }),
    )
  })
})

describe('an exchange at marks', () => {
  it('gives what the atoms are worth in the other token, rounded as the name says', () => {
    const [eth, usdg] = [markPrice(2_500n * E18, 18), markPrice(E18, 6)]
    expect(exchangeDown(E18, eth, usdg)).toBe(2_500_000_000n)
    expect([exchangeDown(1n, eth, usdg), exchangeUp(1n, eth, usdg)]).toEqual([0n, 1n])
    fc.assert(
      fc.property(atoms, anyPrice, anyPrice, (amount, from, to) => {
        const exact = amount * from.num * to.den
        const den = from.den * to.num
        const [down, up] = [exchangeDown(amount, from, to) * den, exchangeUp(amount, from, to) * den]
        expect(down <= exact && exact < down + den && up >= exact && exact > up - den).toBe(true)
      }),
    )
  })

  it('makes nothing by going there and back', () => {
    fc.assert(
      fc.property(atoms, anyPrice, anyPrice, (amount, from, to) => {
        expect(exchangeDown(exchangeDown(amount, from, to), to, from)).toBeLessThanOrEqual(amount)
        expect(exchangeDown(amount, from, from)).toBe(amount)
      }),
    )
  })
})

describe('a shortfall', () => {
  const usd = (amount: bigint, decimals: number) => ({ atoms: amount, price: markPrice(E18, decimals) })

  it('is rounded up, so that an atom past a band is past it', () => {
    expect(shortfallBpsUp(usd(1_000_000n, 6), usd(E18, 18))).toBe(0n)
    expect(shortfallBpsUp(usd(1_000_000n, 6), usd((E18 * 95n) / 100n, 18))).toBe(500n)
    expect(shortfallBpsUp(usd(1_000_000n, 6), usd((E18 * 95n) / 100n - 1n, 18))).toBe(501n)
    expect(shortfallBpsUp(usd(1_000_000n, 6), usd(0n, 18))).toBe(10_000n)
    expect(shortfallBpsUp(usd(1_000_000n, 6), usd(2n * E18, 18))).toBe(-10_000n)
    expect(shortfallBpsUp(usd(0n, 6), usd(E18, 18))).toBe(0n)
  })

  it('is within a limit exactly when the output is worth the rest of the input', () => {
    const limit = fc.integer({ min: 0, max: 10_000 })
    fc.assert(
      fc.property(atoms, anyPrice, atoms, anyPrice, limit, (paid, paidPrice, out, outPrice, bps) => {
        const least = paid * paidPrice.num * outPrice.den * BigInt(10_000 - bps)
        const holds = out * outPrice.num * paidPrice.den * 10_000n >= least
        const shortfall = shortfallBpsUp({ atoms: paid, price: paidPrice }, { atoms: out, price: outPrice })
        expect(shortfall <= BigInt(bps)).toBe(holds)
      }),
    )
  })

  it('has a least output within a limit', () => {
    const limit = fc.integer({ min: 0, max: 10_000 })
    fc.assert(
      fc.property(atoms, anyPrice, anyPrice, limit, (paid, paidPrice, price, bps) => {
        const input = { atoms: paid, price: paidPrice }
        const least = leastOut(input, price, bps)
        expect(shortfallBpsUp(input, { atoms: least, price })).toBeLessThanOrEqual(BigInt(bps))
        if (least > 0n)
          expect(shortfallBpsUp(input, { atoms: least - 1n, price })).toBeGreaterThan(BigInt(bps))
      }),
    )
    expect(leastOut(usd(1_000_000n, 6), usd(0n, 18).price, 12_000)).toBe(0n)
  })
})
