import type { Address } from '@pit/chain'
import { type BindingMark, boundMarks, type PriceWitness, type SessionBinding } from '@pit/protocol'
import type { Pins } from './pins.ts'
import type { Prices } from './prices/followPrices.ts'

/** Dollars of one whole token times 10^18, and where the price comes from. */
export interface Price {
  priceE18: bigint
  decimals: number
  by: PriceWitness
}
export type Priced = Price | { why: string }

/**
 * A token's price as the co-signer values it: its own reading of the feed, or the owner's signed mark where
 * there is no feed.
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
      ? { why: 'its decimals are not known' }
      : { priceE18: own.priceE18, decimals, by: own.by }
  const mark = boundMarks(binding).find((one: BindingMark) => one.token === token)
  if (!mark) return { why: 'it has no feed, and the binding no mark for it' }
  return { priceE18: BigInt(mark.price_e18), decimals: mark.decimals, by: 'owner' }
}

/** Rounded up, so that spending is never counted too low. */
export function microUsdUp(atoms: bigint, { priceE18, decimals }: Price): bigint {
  const scale = 10n ** BigInt(decimals + 12)
  return (atoms * priceE18 + scale - 1n) / scale
}

/** By how many basis points `out` is worth less than `paid`, rounded up; negative when it is worth more. */
export function shortfallBps(paid: Amount, out: Amount): bigint {
  const paidE = paid.atoms * paid.price.priceE18 * 10n ** BigInt(out.price.decimals)
  const outE = out.atoms * out.price.priceE18 * 10n ** BigInt(paid.price.decimals)
  if (paidE === 0n) return 0n
  const less = (paidE - outE) * 10_000n
  return less > 0n ? (less + paidE - 1n) / paidE : less / paidE
}

export interface Amount {
  atoms: bigint
  price: Price
}
