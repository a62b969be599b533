import { MAX_UINT160 } from '@pit/trading'

/** Dollars times 10^18 for one whole token, which the co-signer too counts in. */
type PriceE18 = bigint

/**
 * The wei of so many micro-dollars, rounded down: the cap on chain is never more than the dollars at this
 * price. The co-signer reads it back the same way and refuses one that is far off (CAP_PRICE).
 */
export const weiFor = (microUsd: number, ethPriceE18: PriceE18): bigint =>
  (BigInt(microUsd) * 10n ** 30n) / ethPriceE18

/** Atoms worth so many micro-dollars, rounded down, and never more than Permit2 can count. */
export function atomsFor(
  microUsd: bigint,
  { priceE18, decimals }: { priceE18: PriceE18; decimals: number },
): bigint {
  const atoms = (microUsd * 10n ** BigInt(decimals + 12)) / priceE18
  return atoms < MAX_UINT160 ? atoms : MAX_UINT160 - 1n
}

/** Micro-dollars of so many atoms, rounded down. */
export const worthOf = (
  atoms: bigint,
  { priceE18, decimals }: { priceE18: PriceE18; decimals: number },
): bigint => (atoms * priceE18) / 10n ** BigInt(decimals + 12)
