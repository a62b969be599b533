import { type Answer, FEE, microUsdDown, usdOf } from '@pit/protocol'

const TIERS = FEE.majorTiers.map((tier) => ({ ...tier, fromMicroUsd: microUsdDown(tier.min_30d_volume_usd) }))

/** The rate of major trades for a 30-day volume. Reaching a threshold is enough. */
export function tierOf(volumeMicroUsd: bigint): number {
  return TIERS.findLast(({ fromMicroUsd }) => fromMicroUsd <= volumeMicroUsd)?.bps ?? FEE.majorMaxBps
}

export function describeVolume(volumeMicroUsd: bigint): Answer<'me.portfolio'>['volume'] {
  const next = TIERS.find(({ fromMicroUsd }) => fromMicroUsd > volumeMicroUsd)
  return {
    window_days: FEE.volumeWindowDays,
    volume_usd: usdOf(volumeMicroUsd),
    tier_bps: tierOf(volumeMicroUsd),
    posted_bps: FEE.majorMaxBps,
    next_tier: next
      ? {
          bps: next.bps,
          min_30d_volume_usd: next.min_30d_volume_usd,
          volume_to_next_usd: usdOf(next.fromMicroUsd - volumeMicroUsd),
        }
      : null,
    tiers: FEE.majorTiers.map((tier) => ({ ...tier })),
  }
}
