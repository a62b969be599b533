import { type Answer, FAST, stockSessionOpen, TRADE } from '@pit/protocol'
import { feeOfWallet } from './gather.ts'
import { feeTerms } from './judge.ts'
import type { PinnedTable } from './table.ts'

/** GET live/fast/terms: all that a client needs to build a trade, but its own amounts. */
export function describeTerms({
  pinned,
  enabled,
  tierBps,
  shield,
  baseFeeWei,
  nowMs,
}: {
  pinned: PinnedTable
  enabled: boolean
  tierBps: number
  shield: boolean
  baseFeeWei: bigint | null
  nowMs: number
}): Answer<'live.fast.terms'> {
  const { place } = pinned
  const closes = [...pinned.routes.values()].some(
    ({ tokenIn, tokenOut }) => tokenIn.closes || tokenOut.closes,
  )
  return {
    enabled,
    routes: { ...pinned.table, sha256: pinned.sha256 },
    deadline_s: FAST.deadlineMaxS,
    limits: {
      tx_type: FAST.txType,
      gas_limit_max: FAST.gasLimitMax,
      max_fee_per_gas_base_fee_multiple: FAST.maxFeePerGasBaseFeeMultiple,
      max_cost_wei: FAST.maxCostWei,
      min_notional_usd: FAST.minNotionalUsd,
      amount_usd_tolerance_pct: FAST.amountUsdTolerancePct,
      band_bps_usdg: FAST.bandBpsUsdg,
      band_bps_cross: FAST.bandBpsCross,
      max_vs_mid_bps: TRADE.maxVsMidBps,
      permit_expiry_s: TRADE.permitTradeExpiryS,
    },
    fee: feeTerms(
      place === null
        ? { tier: tierBps, bps: tierBps, recipient: null }
        : feeOfWallet(tierBps, shield, null, place.feeRecipient),
    ),
    base_fee_wei: baseFeeWei?.toString() ?? null,
    max_notional_usd: FAST.maxNotionalUsd,
    mark_max_age_s: FAST.markMaxAgeS,
    slippage_tolerance_by_size: structuredClone(TRADE.slippageToleranceBySize) as never,
    stock_session_open: !closes || stockSessionOpen(nowMs),
    server_time: Math.floor(nowMs / 1000),
  }
}
