import { dollarsText, microUsdDown, microUsdUp } from '@pit/protocol'
import { ToolRefusal } from '../refusal.ts'
import type { Journal } from './journal.ts'

/** Dollars that this server itself allows, whatever a model asks for. */
export interface Ceilings {
  perTradeMicroUsd: bigint
  perDayMicroUsd: bigint
}

const DAY_MS = 86_400_000

export const ceilingsOf = (perTradeUsd: number, perDayUsd: number): Ceilings => ({
  perTradeMicroUsd: microUsdDown(perTradeUsd),
  perDayMicroUsd: microUsdDown(perDayUsd),
})

export const spentMicroUsd = (journal: Journal, nowMs: number, exceptClientId = ''): bigint =>
  journal.reservedSince(nowMs - DAY_MS, exceptClientId)

/** The micro-dollars to reserve for a trade, or a refusal. A day is the 24 hours before now. */
export function checkCeilings(
  { perTradeMicroUsd, perDayMicroUsd }: Ceilings,
  journal: Journal,
  { clientId, usd, nowMs }: { clientId: string; usd: number; nowMs: number },
): bigint {
  const microUsd = microUsdUp(usd)
  if (microUsd > perTradeMicroUsd)
    throw new ToolRefusal(
      'OVER_TRADE_CEILING',
      `${dollarsText(microUsd)} is over this server’s ceiling of ${dollarsText(perTradeMicroUsd)} a trade.`,
      'Ask for less. Only the person who runs this server can raise it (--max-usd-per-trade).',
    )
  const spent = spentMicroUsd(journal, nowMs, clientId)
  if (spent + microUsd > perDayMicroUsd)
    throw new ToolRefusal(
      'OVER_DAY_CEILING',
      `${dollarsText(microUsd)} more would pass this server’s ceiling of ${dollarsText(perDayMicroUsd)} in ` +
        `24 hours; ${dollarsText(spent)} are spent or reserved.`,
      'Wait or ask for less. Only the person who runs this server can raise it (--max-usd-per-day).',
    )
  return microUsd
}
