import type { TransactionReading } from '@pit/client'
import { amountOf, type Facts, labelOf } from './tokens.ts'

/** A listed trade as the verifying node shows it. */
export interface OwnTrade {
  /** Null while it is pending. */
  isReverted: boolean | null
  tokenIn: string | null
  tokenOut: string | null
  pair: string
  sold: string
  received: string
}

const NATIVE = `0x${'0'.repeat(40)}`

/** Tokens that a reading names. */
export const tokensIn = ({ signed, mined }: TransactionReading): string[] => [
  ...(signed.kind === 'swap' ? [signed.tokenIn, signed.tokenOut].filter((one) => one !== null) : []),
  ...(mined?.moves.keys() ?? []),
]

/** Null if the transaction does not trade for this wallet. */
export function ownTradeOf(reading: TransactionReading, wallet: string, facts: Facts): OwnTrade | null {
  const { signed, mined } = reading
  if (signed.kind !== 'swap' || signed.wallet !== wallet) return null
  const moves = [...(mined?.moves ?? [])]
  const tokenIn = signed.tokenIn ?? moves.find(([, atoms]) => atoms < 0n)?.[0] ?? null
  const tokenOut = signed.tokenOut ?? moves.find(([, atoms]) => atoms > 0n)?.[0] ?? null
  const isReverted = mined?.isReverted ?? null
  const text = (token: string | null, bound: string): string => {
    if (token === null || isReverted) return '–'
    const moved = mined?.moves.get(token as `0x${string}`)
    if (moved !== undefined) return amountOf(facts, moved < 0n ? -moved : moved, token)
    // The node cannot prove how much ETH moved, so the signed bound is all that is known.
    const isBound = mined === null || (token === NATIVE && !mined.isEtherKnown)
    return isBound ? bound : amountOf(facts, 0n, token)
  }
  const bound = (what: string, atoms: bigint, token: string | null) =>
    token === null ? '–' : `${what} ${amountOf(facts, atoms, token)}`
  const label = (token: string | null) => (token === null ? '?' : labelOf(facts, token))
  return {
    ...{ isReverted, tokenIn, tokenOut },
    pair: `${label(tokenIn)} → ${label(tokenOut)}`,
    sold: text(tokenIn, bound('at most', signed.amountIn, tokenIn)),
    received: text(tokenOut, bound('at least', signed.amountOutMin, tokenOut)),
  }
}
