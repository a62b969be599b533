import type { Address } from '@pit/chain'
import { type CoreSymbol, FEE_SIDE_RANK } from '@pit/protocol'

interface End {
  address: Address
  core: CoreSymbol | null
  record: { stock_beacon: boolean | null }
}

/** Core assets in the fee's order, then tokens on the stock beacon; nothing else is major, listed as a stock or not. */
const rankOf = ({ core, record }: End): number => {
  if (core !== null) return FEE_SIDE_RANK.indexOf(core)
  return record.stock_beacon === true ? FEE_SIDE_RANK.length : Number.POSITIVE_INFINITY
}

/** The end whose dollars count toward the volume tier: the major one, of two the one that ranks first. */
export function volumeTokenOf(tokenIn: End, tokenOut: End): Address | null {
  const first = rankOf(tokenOut) < rankOf(tokenIn) ? tokenOut : tokenIn
  return Number.isFinite(rankOf(first)) ? first.address : null
}
