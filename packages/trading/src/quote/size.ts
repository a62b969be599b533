import { type AtomPrice, atomsDown, fail, microUsdDown, TRADE, worthDown } from '@pit/protocol'
import type { TradeParams, TradeToken } from '../types.ts'
import { markPriceOf, priceOf, referencePriceOf } from './prices.ts'

/** The pools count in 128 bits: a larger amount cannot be built, and no real one comes near. */
export const ATOMS_END = 1n << 128n

export interface Size {
  amountIn: bigint
  /** When the size was asked for in dollars. */
  askedMicroUsd: bigint | null
}

/** Refuses what can be told without any price. */
export function checkAskedSize({ amountIn, notionalUsd }: TradeParams): void {
  if (amountIn !== undefined) {
    if (amountIn <= 0n) fail('BAD_REQUEST', { field: 'amount_in', message: '`amount_in` is above zero.' })
    if (amountIn >= ATOMS_END) tooManyAtoms('amount_in')
    return
  }
  if (notionalUsd === undefined) {
    fail('BAD_REQUEST', { field: 'notional_usd', message: 'Name one of `notional_usd` and `amount_in`.' })
  }
  if (notionalUsd < TRADE.minNotionalUsd) fail('MIN_NOTIONAL', { field: 'notional_usd' })
  if (notionalUsd > TRADE.maxNotionalUsd) fail('MAX_NOTIONAL', { field: 'notional_usd' })
}

/**
 * Input atoms, rounded down. Dollars go through the input's mark, else its reference, else `byOutput`: what
 * the pools say it is worth in a priced output.
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
      message: '`notional_usd` buys less than the smallest unit.',
    })
  }
  if (amountIn >= ATOMS_END) tooManyAtoms('notional_usd')
  return { amountIn, askedMicroUsd }
}

const MAX_MICRO_USD = microUsdDown(TRADE.maxNotionalUsd)

/**
 * What the trade is worth: as asked, else by the input's mark, else by what it gives at the output's, else by
 * the records' references. Rounded down; null when there is no price at either end.
 */
export function notionalOf(
  { amountIn, askedMicroUsd }: Size,
  { tokenIn, tokenOut }: { tokenIn: TradeToken; tokenOut: TradeToken },
  given: { swapIn: bigint; amountOut: bigint } | undefined,
): bigint | null {
  const byInput = (price: AtomPrice | undefined) => price && worthDown(amountIn, price)
  /** What the pools gave for the swapped part, for the whole. */
  const byOutput = (price: AtomPrice | undefined) =>
    price && given && given.swapIn > 0n
      ? (worthDown(given.amountOut, price) * amountIn) / given.swapIn
      : undefined
  if (askedMicroUsd !== null) {
    // A reference lags behind a jump: what was sized by one may give more than any trade may be worth.
    const givenMicroUsd = markPriceOf(tokenIn) ? undefined : byOutput(markPriceOf(tokenOut))
    return givenMicroUsd !== undefined && givenMicroUsd > MAX_MICRO_USD ? givenMicroUsd : askedMicroUsd
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
  return fail('BAD_REQUEST', { field, message: `\`${field}\` is more atoms than a token can move at once.` })
}
