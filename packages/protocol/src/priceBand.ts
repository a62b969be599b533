import { microUsdDown } from './money/dollars.ts'
import { COSIGNER, TRADE } from './numbers.ts'
import type { FeeClass } from './values.ts'

const SIZES = TRADE.slippageToleranceBySize.map((row) => ({ ...row, upTo: microUsdDown(row.up_to_usd) }))

/**
 * Default and cap for a trade of this class and size. Beyond the table, or of unknown size: its tightest row.
 */
export function slippageTolerance(
  feeClass: FeeClass,
  microUsd: bigint | null,
): { defaultBps: number; capBps: number } {
  const fits = microUsd === null ? undefined : SIZES.find(({ upTo }) => microUsd <= upTo)
  const { default_bps, cap_bps } = (fits ?? SIZES[SIZES.length - 1]!)[feeClass]
  return { defaultBps: default_bps, capBps: cap_bps }
}

/** Maximum slippage for a trade of this class and size. */
export const slippageCapBps = (feeClass: FeeClass, microUsd: bigint): number =>
  slippageTolerance(feeClass, microUsd).capBps

/** Source of the two tokens' prices: oracle feeds, a pool's mean price, or the session's owner. */
export type PriceWitness = 'feed' | 'mean' | 'owner'

/**
 * How many basis points less than the input a session trade's minimum may be worth, besides its fee: its
 * slippage, and what pools and witnesses differ by. Never more than the co-signer's own maximum, unless only
 * the owner says.
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
  return Math.max(...SIZES.map(({ upTo }) => priceBandBps(witness, { feeClass, microUsd: upTo })))
}
