import type { Address } from '@pit/chain'
import { boundMarks, type SessionBinding } from '@pit/protocol'
import type { Pins } from '../pins.ts'
import type { Prices } from '../prices/followPrices.ts'
import type { BookPriceOf } from './book.ts'

/** How long the last price stands in for a missing one. */
export const FROZEN_PRICE_MS = 300_000

/**
 * Prices that value a book: the co-signer's own, the last one of a closed market, any other missing one for
 * five minutes, and the owner's mark for a token without a feed.
 */
export function bookPricesOf({
  pins,
  prices,
  binding,
  nowMs,
}: {
  pins: Pick<Pins, 'tokens'>
  prices: Pick<Prices, 'own' | 'last'>
  binding: SessionBinding
  nowMs: number
}): BookPriceOf {
  return (token: Address) => {
    const decimals = pins.tokens.get(token)?.decimals
    const own = prices.own(token)
    if (own.kind === 'feedless') {
      const mark = boundMarks(binding).find((one) => one.token === token)
      return mark ? { priceE18: BigInt(mark.price_e18), decimals: mark.decimals, feedless: true } : null
    }
    if (decimals === undefined) return null
    if (own.kind === 'fresh') return { priceE18: own.priceE18, decimals, feedless: false }
    const last = prices.last(token)
    return last !== null && (last.isClosed || nowMs - last.atMs <= FROZEN_PRICE_MS)
      ? { priceE18: last.priceE18, decimals, feedless: false }
      : null
  }
}
