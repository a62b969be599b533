import { type Address, NATIVE } from '@pit/chain'
import type { Pins } from '../pins.ts'

/** Tokens that count as money: USDG, and ETH in both forms. */
function moneyOf(token: Address, { tokens, weth }: Pick<Pins, 'tokens' | 'weth'>): 'USDG' | 'ETH' | null {
  if (tokens.get(token)?.core === 'USDG') return 'USDG'
  return token === NATIVE || token === weth ? 'ETH' : null
}

/** Whether a trade reduces risk: it ends in USDG, or leaves a token that is not money for ETH. */
export function isClosing(
  { tokenIn, tokenOut }: { tokenIn: Address; tokenOut: Address },
  pins: Pick<Pins, 'tokens' | 'weth'>,
): boolean {
  const out = moneyOf(tokenOut, pins)
  return out === 'USDG' || (out === 'ETH' && moneyOf(tokenIn, pins) === null)
}
