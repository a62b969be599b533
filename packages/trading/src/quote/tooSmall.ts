import { groupedText, TRADE } from '@pit/protocol'
import type { TradeQuote } from '../types.ts'

/** Why a size is below the minimum; `atoms` if it was given in atoms, which are easily mistaken for units. */
export function tooSmall(
  { amountIn, tokenIn }: Pick<TradeQuote, 'amountIn' | 'tokenIn'>,
  sizedIn: 'dollars' | 'atoms',
): string {
  const least = `A trade must be at least ${TRADE.minNotionalUsd} USD`
  const { decimals } = tokenIn
  if (sizedIn === 'dollars' || decimals === 0) return `${least}.`
  const symbol = tokenIn.symbol.slice(0, 32)
  const units = (atoms: bigint, places: number) => `${groupedText(atoms, places)} ${symbol}`
  return (
    `${least}: ${amountIn} atoms are ${units(amountIn, decimals)}, ` +
    `and ${units(amountIn, 0)} are ${amountIn * 10n ** BigInt(decimals)} atoms.`
  )
}
