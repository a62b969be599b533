import type { Address } from '@pit/chain'
import { type BindingMark, boundMarks, type PriceWitness, type SessionBinding } from '@pit/protocol'
import type { Pins } from '../pins.ts'
import type { Prices } from './followPrices.ts'

/** USD per whole token times 10^18, and the price's source. */
export interface Price {
  priceE18: bigint
  decimals: number
  by: PriceWitness
}
export type Priced = Price | { why: string }

/**
 * A token's price as the co-signer values it: its own reading of the feed, or the owner's signed mark for a
 * token without a feed.
 */
export function priceOf(
  token: Address,
  {
    pins,
    prices,
    binding,
  }: { pins: Pick<Pins, 'tokens'>; prices: Pick<Prices, 'own'>; binding: SessionBinding },
): Priced {
  const own = prices.own(token)
  const decimals = pins.tokens.get(token)?.decimals
  // A token with a feed is never valued by a mark, however long its feed is silent.
  if (own.kind === 'none') return { why: own.why }
  if (own.kind === 'fresh')
    return decimals === undefined
      ? { why: 'its decimals are unknown' }
      : { priceE18: own.priceE18, decimals, by: own.by }
  const mark = boundMarks(binding).find((one: BindingMark) => one.token === token)
  if (!mark) return { why: 'it has no feed and no mark in the binding' }
  return { priceE18: BigInt(mark.price_e18), decimals: mark.decimals, by: 'owner' }
}
