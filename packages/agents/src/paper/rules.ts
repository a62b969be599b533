const MICRO_DIGITS = 6

/** Rounded up: what is paid is never less than its price. */
const ceilDiv = (value: bigint, by: bigint): bigint => (value + by - 1n) / by

/** What gas costs at ETH's price, in millionths of a dollar and in USDG's atoms; both against the trader. */
export function gasCostOf(
  { gas, gasPriceWei, ethPriceE18 }: { gas: number; gasPriceWei: bigint; ethPriceE18: bigint },
  usdgDecimals: number,
): { microUsd: bigint; usdgAtoms: bigint } {
  const worth = BigInt(gas) * gasPriceWei * ethPriceE18
  return {
    microUsd: ceilDiv(worth, 10n ** BigInt(36 - MICRO_DIGITS)),
    usdgAtoms: ceilDiv(worth, 10n ** BigInt(36 - usdgDecimals)),
  }
}

/** USDG that so many dollars are; rounded down. */
export const usdgAtomsOf = (microUsd: bigint, usdgDecimals: number): bigint =>
  (microUsd * 10n ** BigInt(usdgDecimals)) / 10n ** BigInt(MICRO_DIGITS)

/** A balance at a price, in millionths of a dollar, rounded down. */
export const worthOf = (atoms: bigint, decimals: number, priceE18: bigint): bigint =>
  (atoms * priceE18) / 10n ** BigInt(18 - MICRO_DIGITS + decimals)
