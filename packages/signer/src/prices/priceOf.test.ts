import { NATIVE } from '@pit/chain'
import { describe, expect, it } from 'vitest'
import { E18, JUNK, JUNK_MARK, makeBinding, ownPrice, PINS, STRANGER, USDG } from '../../test/kit.ts'
import type { OwnPrice } from './followPrices.ts'
import { priceOf } from './priceOf.ts'

describe('a price', () => {
  const binding = makeBinding({ tokens: [NATIVE, JUNK].sort(), marks: [JUNK_MARK] })
  const at = (own: (token: `0x${string}`) => OwnPrice) => ({ pins: PINS, prices: { own }, binding })

  it('is the co-signer’s own if there is a feed, otherwise the owner’s', () => {
    expect(priceOf(USDG, at(ownPrice))).toEqual({ priceE18: E18, decimals: 6, by: 'feed' })
    expect(priceOf(JUNK, at(ownPrice))).toEqual({ priceE18: E18 / 1_000n, decimals: 18, by: 'owner' })
    expect(priceOf(STRANGER, at(ownPrice))).toHaveProperty('why')
  })

  it('is missing if its feed is silent, even with an owner’s mark', () => {
    const marked = { ...binding, marks: [{ ...JUNK_MARK, token: USDG }] }
    const silent = at(() => ({ kind: 'none', why: 'its feed is old' }))
    expect(priceOf(USDG, { ...silent, binding: marked })).toEqual({ why: 'its feed is old' })
  })
})
