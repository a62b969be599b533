import type { Address, Hex } from '../bytes/hex.ts'
import { addressWord, uint } from '../router/words.ts'

export type CurveTrade = {
  /** Of the pair for a buy, of the token for a sell. A buy with ETH sends as much along. */
  amountIn: bigint
  amountOutMin: bigint
  recipient: Address
  deadlineS: bigint
}

/** The curve's `buy(amountIn, minTokensOut, to, deadline)`. */
export function encodeCurveBuy(trade: CurveTrade): Hex {
  return `0x8945257c${wordsOf(trade)}`
}

/** The curve's `sell(tokensIn, minPairOut, to, deadline)`. */
export function encodeCurveSell(trade: CurveTrade): Hex {
  return `0x8a038a54${wordsOf(trade)}`
}

function wordsOf({ amountIn, amountOutMin, recipient, deadlineS }: CurveTrade): string {
  return (uint(amountIn) + uint(amountOutMin) + addressWord(recipient) + uint(deadlineS)).toLowerCase()
}
