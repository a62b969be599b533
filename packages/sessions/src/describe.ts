import { boundRiskTerms, maxOf, type SessionBinding, usdOf } from '@pit/protocol'
import type { Session, Used } from './types.ts'

/** What several routes show of a session. */

export const limitsJson = ({ limits }: SessionBinding) => ({
  max_trade_usd: usdOf(BigInt(limits.max_trade_micro_usd)),
  max_day_usd: usdOf(BigInt(limits.max_day_micro_usd)),
  max_trades: limits.max_trades,
})

export function riskTermsJson(binding: SessionBinding) {
  const { accept_risks, shield, policies } = boundRiskTerms(binding)
  return { accept_risks, shield, policies }
}

export function spendOf({ binding: { limits } }: Pick<Session, 'binding'>, { trades, dayMicroUsd }: Used) {
  return {
    trades,
    trades_left: Math.max(0, limits.max_trades - trades),
    last_24h_usd: usdOf(dayMicroUsd),
    remaining_24h_usd: usdOf(maxOf(0n, BigInt(limits.max_day_micro_usd) - dayMicroUsd)),
  }
}
