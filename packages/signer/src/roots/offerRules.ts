import type { Address } from '@pit/chain'
import { type BindingMark, COSIGNER, lessBps } from '@pit/protocol'
import { type Failure, type Rules, unreadMessage } from '../checks.ts'
import type { Pins } from '../pins.ts'
import type { OwnPrice } from '../prices/followPrices.ts'
import type { Offer } from './readOffers.ts'

export interface OfferFacts {
  pins: Pick<Pins, 'tokens'>
  ownPrice(token: Address): OwnPrice
  marks: readonly BindingMark[]
  /** Pool prices for a small amount of each; null if the chain did not answer. */
  offers: ReadonlyMap<Address, readonly Offer[]> | null
  /** The reason the chain cannot be read, if known. */
  whyUnread?: string | null
}

/** The last rules for a root: its owner's marks compared with the pools. */
export const offerRules: Rules<OfferFacts> = [
  {
    code: 'CHAIN_UNAVAILABLE',
    check: ({ offers, whyUnread }) => (offers === null ? { message: unreadMessage(whyUnread) } : null),
  },
  {
    code: 'CAP_PRICE',
    check: (facts) =>
      facts.marks.map((mark) => markFailure(mark, facts)).find((found) => found !== null) ?? null,
  },
]

/** A mark far below a pool's price would let more of the token go than the limits allow. */
function markFailure(
  { token, decimals, price_e18 }: BindingMark,
  { pins, ownPrice, offers }: OfferFacts,
): Failure | null {
  const mark = BigInt(price_e18)
  for (const { payIn, atomsIn, atomsOut } of offers?.get(token) ?? []) {
    const paid = ownPrice(payIn)
    const paidDecimals = pins.tokens.get(payIn)?.decimals
    if (paid.kind !== 'fresh' || paidDecimals === undefined) continue
    const whole = 10n ** BigInt(decimals)
    const offered = (atomsOut * paid.priceE18 * whole) / (atomsIn * 10n ** BigInt(paidDecimals))
    if (mark >= lessBps(offered, COSIGNER.signedMarkBandBps)) continue
    return {
      message: `The mark of ${token} is far below the price in a pool, in dollars times 10^18.`,
      value: mark.toString(),
      limit: offered.toString(),
    }
  }
  return null
}
