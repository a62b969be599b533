import { COSIGNER, TRADE } from './numbers.ts'
import type { FeeClass } from './values.ts'

/** The most slippage a trade of this class and size may ask for. */
export function slippageCapBps(feeClass: FeeClass, microUsd: bigint): number {
  const rows = TRADE.slippageToleranceBySize
  const row =
    rows.find(({ up_to_usd }) => microUsd <= BigInt(up_to_usd) * 1_000_000n) ?? rows[rows.length - 1]!
  return row[feeClass].cap_bps
}

/** Who says what the two ends are worth: oracle feeds, a pool's mean price, or the session's owner. */
export type PriceWitness = 'feed' | 'mean' | 'owner'

/**
 * How many basis points less than the input a session trade's minimum may be worth, besides its fee: its slippage, and
 * what pools and witnesses differ by. Never more than the service's own maximum, unless only the owner says.
 */
export function priceBandBps(
  witness: PriceWitness,
  { feeClass, microUsd }: { feeClass: FeeClass; microUsd: bigint },
): number {
  if (witness === 'owner') return COSIGNER.signedMarkBandBps
  const differ = witness === 'feed' ? COSIGNER.feedBandBps : COSIGNER.meanBandBps
  return Math.min(slippageCapBps(feeClass, microUsd) + differ, COSIGNER.maxSlippageBps)
}

/** The widest of them, whatever a trade's size. */
export function widestBandBps(witness: PriceWitness, feeClass: FeeClass): number {
  const sizes = TRADE.slippageToleranceBySize.map(({ up_to_usd }) => BigInt(up_to_usd) * 1_000_000n)
  return Math.max(...sizes.map((microUsd) => priceBandBps(witness, { feeClass, microUsd })))
}
