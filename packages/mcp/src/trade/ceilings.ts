import { DAY_MS, dollarsText, microUsdDown, microUsdUp } from '@pit/protocol'
import { ToolRefusal } from '../refusal.ts'
import type { Journal } from './journal.ts'

/** Limits of this server, which a model cannot change. */
export interface Ceilings {
  perTradeMicroUsd: bigint
  perDayMicroUsd: bigint
}

export const ceilingsOf = (perTradeUsd: number, perDayUsd: number): Ceilings => ({
  perTradeMicroUsd: microUsdDown(perTradeUsd),
  perDayMicroUsd: microUsdDown(perDayUsd),
})

export const spentMicroUsd = (journal: Journal, nowMs: number, exceptClientId = ''): bigint =>
  journal.reservedSince(nowMs - DAY_MS, exceptClientId)

/** Returns the micro-dollars to reserve for a trade, or throws. A day is the last 24 hours. */
export function checkCeilings(
  { perTradeMicroUsd, perDayMicroUsd }: Ceilings,
  journal: Journal,
  { clientId, usd, nowMs }: { clientId: string; usd: number; nowMs: number },
): bigint {
  const microUsd = microUsdUp(usd)
  if (microUsd > perTradeMicroUsd)
    throw new ToolRefusal(
      'OVER_TRADE_CEILING',
      `${dollarsText(microUsd)} is above this server’s maximum of ${dollarsText(perTradeMicroUsd)} per trade.`,
      'Use a smaller notional_usd. Only the operator can raise the maximum (--max-usd-per-trade).',
    )
  const spent = spentMicroUsd(journal, nowMs, clientId)
  if (spent + microUsd > perDayMicroUsd)
    throw new ToolRefusal(
      'OVER_DAY_CEILING',
      `${dollarsText(microUsd)} more would exceed this server’s maximum of ${dollarsText(perDayMicroUsd)} per ` +
        `24 hours; ${dollarsText(spent)} is spent or reserved.`,
      'Wait, or use a smaller notional_usd. Only the operator can raise the maximum (--max-usd-per-day).',
    )
  return microUsd
}
