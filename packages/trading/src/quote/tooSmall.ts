import { decimalText, TRADE } from '@pit/protocol'
import type { TradeQuote } from '../types.ts'

/** Why a size is under the least; `atoms` where it was asked in them, which are easily taken for units. */
export function tooSmall(
  { amountIn, tokenIn }: Pick<TradeQuote, 'amountIn' | 'tokenIn'>,
  askedIn: 'dollars' | 'atoms',
): string {
  const least = `One trade is at least ${TRADE.minNotionalUsd} dollar`
  const { decimals } = tokenIn
  if (askedIn === 'dollars' || decimals === 0) return `${least}.`
  const symbol = tokenIn.symbol.slice(0, 32)
  const whole = `${amountIn} atoms are ${decimalText(amountIn, decimals)} ${symbol}`
  return `${least}: ${whole}, and ${amountIn} ${symbol} are ${amountIn * 10n ** BigInt(decimals)} atoms.`
}
