import { BPS } from '@pit/protocol'
import type { TradeToken } from './types.ts'

type Tax = 'buy_tax_bps' | 'transfer_tax_bps' | 'sell_tax_bps'

/** The measured tax, or 0. Never 100%: the remainder is a divisor. */
export function taxBpsOf({ record }: TradeToken, tax: Tax): number {
  const bps = record.flags[tax] ?? 0
  return bps > 0 ? Math.min(Math.round(bps), BPS - 1) : 0
}
