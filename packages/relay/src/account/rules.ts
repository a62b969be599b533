import { type Answer, FEE } from '@pit/protocol'
import { formatUnits } from 'viem'

/** Dollars on the wire: parsed from their decimal text, so that what was an exact sum reads as one. */
export const dollarsOf = (microUsd: bigint): number => Number(formatUnits(microUsd, 6))

const microUsd = (usd: number): bigint => BigInt(usd) * 1_000_000n

/** The rate of major trades that a 30-day volume earns. A threshold reached is a threshold passed. */
export function tierOf(volumeMicroUsd: bigint): number {
  const tier = FEE.majorTiers.findLast(
    ({ min_30d_volume_usd }) => microUsd(min_30d_volume_usd) <= volumeMicroUsd,
  )
  return tier?.bps ?? FEE.majorMaxBps
}

export function describeVolume(volumeMicroUsd: bigint): Answer<'me.portfolio'>['volume'] {
  const next = FEE.majorTiers.find(({ min_30d_volume_usd }) => microUsd(min_30d_volume_usd) > volumeMicroUsd)
  return {
    window_days: FEE.volumeWindowDays,
    volume_usd: dollarsOf(volumeMicroUsd),
    tier_bps: tierOf(volumeMicroUsd),
    posted_bps: FEE.majorMaxBps,
    next_tier: next
      ? {
          bps: next.bps,
          min_30d_volume_usd: next.min_30d_volume_usd,
          volume_to_next_usd: dollarsOf(microUsd(next.min_30d_volume_usd) - volumeMicroUsd),
        }
      : null,
    tiers: FEE.majorTiers.map((tier) => ({ ...tier })),
  }
}
