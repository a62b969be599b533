import { type AtomPrice, markPrice, unitPrice } from '@pit/protocol'
import type { TradeToken } from '../types.ts'

type Priced = Pick<TradeToken, 'mark' | 'record' | 'decimals'>

export const markPriceOf = ({
  mark,
  decimals,
}: Pick<TradeToken, 'mark' | 'decimals'>): AtomPrice | undefined =>
  mark !== undefined && mark.priceE18 > 0n ? markPrice(mark.priceE18, decimals) : undefined

/** The record's reference price: a half-hour average, or the pools' price. */
export const referencePriceOf = ({ record, decimals }: Omit<Priced, 'mark'>): AtomPrice | undefined =>
  unitPrice(record.reference.price_usd ?? 0, decimals)

/** The independent mark, else the reference. */
export const priceOf = (token: Priced): AtomPrice | undefined => markPriceOf(token) ?? referencePriceOf(token)

/** Dollars per whole unit, for display and comparison. */
export function unitUsd(token: Priced): number | null {
  // Kept for stable responses; `priceUsdOf` may differ in the last digit.
  if (token.mark !== undefined && token.mark.priceE18 > 0n) return Number(token.mark.priceE18) / 1e18
  const usd = token.record.reference.price_usd ?? null
  return usd !== null && usd > 0 ? usd : null
}
