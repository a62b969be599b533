import { type AtomPrice, atomsDown, fail, microUsdDown, TRADE, worthDown } from '@pit/protocol'
import type { TradeParams, TradeToken } from '../types.ts'
import { markPriceOf, priceOf, referencePriceOf } from './prices.ts'

/** Pools count in 128 bits: larger amounts cannot be built. */
export const ATOMS_END = 1n << 128n

export interface Size {
  amountIn: bigint
  /** Set if the size was requested in dollars. */
  askedMicroUsd: bigint | null
}

/** Refuses sizes that are invalid at any price. */
export function checkRequestedSize({ amountIn, notionalUsd }: TradeParams): void {
  if (amountIn !== undefined) {
    if (amountIn <= 0n)
      fail('BAD_REQUEST', { field: 'amount_in', message: '`amount_in` must be above zero.' })
    if (amountIn >= ATOMS_END) tooManyAtoms('amount_in')
    return
  }
  if (notionalUsd === undefined) {
    fail('BAD_REQUEST', {
      field: 'notional_usd',
      message: 'Send exactly one of `notional_usd` and `amount_in`.',
    })
  }
  if (notionalUsd < TRADE.minNotionalUsd) fail('MIN_NOTIONAL', { field: 'notional_usd' })
  if (notionalUsd > TRADE.maxNotionalUsd) fail('MAX_NOTIONAL', { field: 'notional_usd' })
}

/**
 * Input atoms, rounded down. Dollars are converted at the input's mark, else its reference, else `byOutput`:
 * its price through the pools in a priced output.
 */
export function sizeOf(
  request: TradeParams,
  tokenIn: TradeToken,
  byOutput: () => AtomPrice | undefined,
): Size {
  if (request.amountIn !== undefined) return { amountIn: request.amountIn, askedMicroUsd: null }
  const askedMicroUsd = microUsdDown(request.notionalUsd ?? 0)
  const price = priceOf(tokenIn) ?? byOutput() ?? fail('NO_MARK', { field: 'notional_usd' })
  const amountIn = atomsDown(askedMicroUsd, price)
  if (amountIn === 0n) {
    fail('BAD_REQUEST', {
      field: 'notional_usd',
      message: '`notional_usd` is worth less than one atom of the input.',
    })
  }
  if (amountIn >= ATOMS_END) tooManyAtoms('notional_usd')
  return { amountIn, askedMicroUsd }
}

const MAX_MICRO_USD = microUsdDown(TRADE.maxNotionalUsd)

/**
 * Value of the trade: as requested, else by the input's mark, else by its output at the output's mark, else by
 * the records' references. Rounded down; null if neither end has a price.
 */
export function notionalOf(
  { amountIn, askedMicroUsd }: Size,
  { tokenIn, tokenOut }: { tokenIn: TradeToken; tokenOut: TradeToken },
  swap: { swapIn: bigint; amountOut: bigint } | undefined,
): bigint | null {
  const byInput = (price: AtomPrice | undefined) => price && worthDown(amountIn, price)
  /** The pools' output for the swapped part, scaled to the whole. */
  const byOutput = (price: AtomPrice | undefined) =>
    price && swap && swap.swapIn > 0n
      ? (worthDown(swap.amountOut, price) * amountIn) / swap.swapIn
      : undefined
  if (askedMicroUsd !== null) {
    // A reference lags behind a jump, so a trade sized by it may yield more than the maximum size.
    const outputMicroUsd = markPriceOf(tokenIn) ? undefined : byOutput(markPriceOf(tokenOut))
    return outputMicroUsd !== undefined && outputMicroUsd > MAX_MICRO_USD ? outputMicroUsd : askedMicroUsd
  }
  return (
    byInput(markPriceOf(tokenIn)) ??
    byOutput(markPriceOf(tokenOut)) ??
    byInput(referencePriceOf(tokenIn)) ??
    byOutput(referencePriceOf(tokenOut)) ??
    null
  )
}

function tooManyAtoms(field: string): never {
  return fail('BAD_REQUEST', { field, message: `\`${field}\` exceeds 128 bits of atoms.` })
}
