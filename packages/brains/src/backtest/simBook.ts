import {
  atomsDown,
  exchangeDown,
  feeOf,
  lessPipsDown,
  markPrice,
  rescaleDown,
  worthDown,
} from '@pit/protocol'
import { CASH_TOKEN } from '../purse.ts'
import { applyFill, type BookFill } from '../replayBook.ts'
import type { BrainBook, Order } from '../types.ts'

/** All tokens have 18 decimals in a backtest. */
const DECIMALS = 18
const priceIn18 = (priceE18: bigint) => markPrice(priceE18, DECIMALS)
const cashAtoms = (microUsd: bigint): bigint => rescaleDown(microUsd, 6, DECIMALS)

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
  /** The book as shown to a brain, at these prices. */
  view(priceOf: PriceOf): Omit<BrainBook, 'dayUsedMicroUsd'>
  /** False if the book cannot pay for it. */
  fill(order: Order, ends: { base: string; quote: string }, atS: number, priceOf: PriceOf): boolean
}

export const worthAt = (atoms: bigint, priceE18: bigint): bigint => worthDown(atoms, priceIn18(priceE18))

export function openSimBook(startMicroUsd: bigint, terms: SimTerms): SimBook {
  const fills: SimFill[] = []
  const balances = new Map([[CASH_TOKEN, cashAtoms(startMicroUsd)]])
  const worthOf = (token: string, atoms: bigint, priceOf: PriceOf): bigint | null => {
    const price = priceOf(token)
    return atoms === 0n ? 0n : price === null ? null : worthAt(atoms, price)
  }

  return {
    fills,
    balances: () => balances,
    view(priceOf) {
      const cashMicroUsd = rescaleDown(balances.get(CASH_TOKEN) ?? 0n, DECIMALS, 6)
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
      const amountIn = atomsDown(order.microUsd, priceIn18(priceIn))
      const fee = feeOf(amountIn, terms.feeBps)
      const fair = exchangeDown(amountIn - fee, priceIn18(priceIn), priceIn18(priceOut))
      const fill: SimFill = {
        atS,
        pair: order.pair,
        side: order.side,
        microUsd: order.microUsd,
        priceE18,
        tokenIn,
        tokenOut,
        amountIn,
        amountOut: lessPipsDown(fair, terms.slippageBps * 100),
        gasUsdgAtoms: cashAtoms(terms.gasMicroUsd),
        feeMicroUsd: worthAt(fee, priceIn),
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
