import { type AtomPrice, markPrice, unitPrice } from '@pit/protocol'
import type { TradeToken } from '../types.ts'

type Priced = Pick<TradeToken, 'mark' | 'record' | 'decimals'>

export const markPriceOf = ({
  mark,
  decimals,
}: Pick<TradeToken, 'mark' | 'decimals'>): AtomPrice | undefined =>
  mark !== undefined && mark.priceE18 > 0n ? markPrice(mark.priceE18, decimals) : undefined

/** By the price its record compares trades with: a mean of half an hour, or what its pools say. */
export const referencePriceOf = ({ record, decimals }: Omit<Priced, 'mark'>): AtomPrice | undefined =>
  unitPrice(record.reference.price_usd ?? 0, decimals)

/** The independent mark, else the reference. */
export const priceOf = (token: Priced): AtomPrice | undefined => markPriceOf(token) ?? referencePriceOf(token)

/** Dollars for a whole unit, to show and to compare. */
export function unitUsd(token: Priced): number | null {
  // Clients have seen this quotient from the start; `priceUsdOf` may differ from it in the last digit.
  if (token.mark !== undefined && token.mark.priceE18 > 0n) return Number(token.mark.priceE18) / 1e18
  const usd = token.record.reference.price_usd ?? null
  return usd !== null && usd > 0 ? usd : null
}
