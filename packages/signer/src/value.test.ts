import { NATIVE } from '@pit/chain'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { E18, JUNK, JUNK_MARK, makeBinding, ownPrice, PINS, STRANGER, USDG } from '../test/kit.ts'
import type { OwnPrice } from './prices/followPrices.ts'
import { microUsdUp, type Price, priceOf, shortfallBps } from './value.ts'

const price = fc.record({
  priceE18: fc.bigInt({ min: 1n, max: 10n ** 24n }),
  decimals: fc.integer({ min: 0, max: 24 }),
  by: fc.constant('feed' as const),
})
const atoms = fc.bigInt({ min: 1n, max: 10n ** 30n })

describe('values', () => {
  it('round up what is spent, by less than a micro-dollar', () => {
    const usdg: Price = { priceE18: E18, decimals: 6, by: 'feed' }
    expect(microUsdUp(1n, usdg)).toBe(1n)
    expect(microUsdUp(1n, { ...usdg, decimals: 18 })).toBe(1n)
    fc.assert(
      fc.property(atoms, price, (amount, at) => {
        const scale = 10n ** BigInt(at.decimals + 12)
        const counted = microUsdUp(amount, at) * scale
        expect(counted).toBeGreaterThanOrEqual(amount * at.priceE18)
        expect(counted - amount * at.priceE18).toBeLessThan(scale)
      }),
    )
  })

  it('are never less for two trades than for one of both', () => {
    fc.assert(
      fc.property(atoms, atoms, price, (a, b, at) => {
        expect(microUsdUp(a, at) + microUsdUp(b, at)).toBeGreaterThanOrEqual(microUsdUp(a + b, at))
      }),
    )
  })

  it('tell how much less an output is worth, rounded up', () => {
    const usd = (dollarsAtoms: bigint, decimals: number) => ({
      atoms: dollarsAtoms,
      price: { priceE18: E18, decimals, by: 'feed' } as const,
    })
    expect(shortfallBps(usd(1_000_000n, 6), usd(E18, 18))).toBe(0n)
    expect(shortfallBps(usd(1_000_000n, 6), usd((E18 * 95n) / 100n, 18))).toBe(500n)
    expect(shortfallBps(usd(1_000_000n, 6), usd((E18 * 95n) / 100n - 1n, 18))).toBe(501n)
    expect(shortfallBps(usd(1_000_000n, 6), usd(0n, 18))).toBe(10_000n)
    expect(shortfallBps(usd(1_000_000n, 6), usd(2n * E18, 18))).toBe(-10_000n)
  })
})

describe('a price', () => {
  const binding = makeBinding({ tokens: [NATIVE, JUNK].sort(), marks: [JUNK_MARK] })
  const at = (own: (token: `0x${string}`) => OwnPrice) => ({ pins: PINS, prices: { own }, binding })

  it('is the co-signer’s own where it has a feed, else the owner’s', () => {
    expect(priceOf(USDG, at(ownPrice))).toEqual({ priceE18: E18, decimals: 6, by: 'feed' })
    expect(priceOf(JUNK, at(ownPrice))).toEqual({ priceE18: E18 / 1_000n, decimals: 18, by: 'owner' })
    expect(priceOf(STRANGER, at(ownPrice))).toHaveProperty('why')
  })

  it('is none when its feed is silent, whatever the owner signed', () => {
    const marked = { ...binding, marks: [{ ...JUNK_MARK, token: USDG }] }
    const silent = at(() => ({ kind: 'none', why: 'its feed is old' }))
    expect(priceOf(USDG, { ...silent, binding: marked })).toEqual({ why: 'its feed is old' })
  })
})
