import { applyFill, type BookFill, type BrainBook, CASH_TOKEN, type Order } from '@pit/agents/decide'

/** Every token has 18 decimals here: a rehearsal needs no finer atoms. */
const E18 = 10n ** 18n
const E12 = 10n ** 12n
const BPS = 10_000n

export interface SimTerms {
  feeBps: number
  slippageBps: number
  gasMicroUsd: bigint
}

export interface SimFill extends BookFill {
  atS: number
  pair: string
  side: Order['side']
  microUsd: bigint
  priceE18: bigint
  feeMicroUsd: bigint
  gasMicroUsd: bigint
  reason: string
}

export type PriceOf = (token: string) => bigint | null

export interface SimBook {
  fills: readonly SimFill[]
  balances(): ReadonlyMap<string, bigint>
  /** What a brain is shown, at these prices. */
  view(priceOf: PriceOf): Omit<BrainBook, 'dayUsedMicroUsd'>
  /** False when the book cannot pay for it. */
  fill(order: Order, ends: { base: string; quote: string }, atS: number, priceOf: PriceOf): boolean
}

export const microUsdOf = (atoms: bigint, priceE18: bigint): bigint => (atoms * priceE18) / E18 / E12

export function openSimBook(startMicroUsd: bigint, terms: SimTerms): SimBook {
  const fills: SimFill[] = []
  const balances = new Map([[CASH_TOKEN, startMicroUsd * E12]])
  const worthOf = (token: string, atoms: bigint, priceOf: PriceOf): bigint | null => {
    const price = priceOf(token)
    return atoms === 0n ? 0n : price === null ? null : microUsdOf(atoms, price)
  }

  return {
    fills,
    balances: () => balances,
    view(priceOf) {
      const cashMicroUsd = (balances.get(CASH_TOKEN) ?? 0n) / E12
      const positions = [...balances]
        .filter(([token]) => token !== CASH_TOKEN)
        .map(([token, atoms]) => ({ token, symbol: token, atoms, microUsd: worthOf(token, atoms, priceOf) }))
      const equityMicroUsd = positions.reduce<bigint | null>(
        (sum, { microUsd }) => (sum === null || microUsd === null ? null : sum + microUsd),
        cashMicroUsd,
      )
      return { cashMicroUsd, equityMicroUsd, positions }
    },
    fill(order, { base, quote }, atS, priceOf) {
      const [tokenIn, tokenOut] = order.side === 'buy' ? [quote, base] : [base, quote]
      const [priceIn, priceOut, priceE18] = [priceOf(tokenIn), priceOf(tokenOut), priceOf(base)]
      if (priceIn === null || priceOut === null || priceE18 === null) return false
      const amountIn = (order.microUsd * E12 * E18) / priceIn
      const fee = (amountIn * BigInt(terms.feeBps)) / BPS
      const fair = ((amountIn - fee) * priceIn) / priceOut
      const fill: SimFill = {
        atS,
        pair: order.pair,
        side: order.side,
        microUsd: order.microUsd,
        priceE18,
        tokenIn,
        tokenOut,
        amountIn,
        amountOut: (fair * (BPS - BigInt(terms.slippageBps))) / BPS,
        gasUsdgAtoms: terms.gasMicroUsd * E12,
        feeMicroUsd: microUsdOf(fee, priceIn),
        gasMicroUsd: terms.gasMicroUsd,
        reason: order.reason,
      }
      const applied = applyFill(balances, fill, CASH_TOKEN)
      if (!applied.ok) return false
      for (const [token, atoms] of applied.after) balances.set(token, atoms)
      fills.push(fill)
      return true
    },
  }
}
