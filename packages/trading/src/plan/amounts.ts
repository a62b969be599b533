import {
  BPS,
  beforeBps,
  divUp,
  feeOf,
  leastOut,
  lessBps,
  markPrice,
  maxOf,
  minOf,
  priceBandBps,
  shortfallBpsUp,
  worthUp,
} from '@pit/protocol'
import { taxBpsOf } from '../taxes.ts'
import type { PoolLeg, PricedRoute, TradeParams, TradeQuote, TradeToken } from '../types.ts'

/** Expected and minimum output, for the wallet and for the called contract. */
export interface Outcome {
  /** Expected to arrive at the wallet. */
  expected: bigint
  /** Minimum that arrives at the wallet. */
  min: bigint
  /** Minimum enforced by the called contract, which may count before the wallet does. */
  contractMin: bigint
  /** Whether the last pool pays the wallet itself; see directOf. */
  direct: boolean
  /** The called contract counts what left the pool, so it does not notice a tax raised in the meantime. */
  countsBeforeTax: boolean
  /** Expected output-side fee; zero if the input pays. */
  outputFee: bigint
}

/** Amounts are clamped to uint128, the widest the router encodes. */
const MAX_UINT128 = (1n << 128n) - 1n

/** Deductions from the output, in order; each applies to the remainder. */
interface Deductions {
  /** Of what the pools send. */
  buyTaxBps: number
  /** The service's fee, of what the router holds. */
  feeBps: number
  /** Of what the router sends on. */
  transferTaxBps: number
  direct: boolean
  /** Whether the minimum is checked against what left the pool or what arrived from it. */
  countsBeforeTax: boolean
}

/** The bound of a signed order at independent marks. */
export interface MarkBound {
  /** The least output within it. */
  least: bigint
  /** The most that an output may be worth less than the input, fee included. */
  limitBps: number
  /** How much less an output is worth. */
  shortfallBps(out: bigint): bigint
}

/** As the co-signer judges it, whose own band applies too; null without an order or without both marks. */
export function markBoundOf({ request, tokenIn, tokenOut, amountIn, fee }: TradeQuote): MarkBound | null {
  const { orderBounds } = request
  if (!orderBounds || !tokenIn.mark || !tokenOut.mark) return null
  const paid = { atoms: amountIn, price: markPrice(tokenIn.mark.priceE18, tokenIn.decimals) }
  const price = markPrice(tokenOut.mark.priceE18, tokenOut.decimals)
  const witness = [tokenIn.mark, tokenOut.mark].some(({ source }) => source === 'twap') ? 'mean' : 'feed'
  const microUsd = worthUp(amountIn, paid.price)
  const limitBps =
    Math.min(orderBounds.maxSlippageBps, priceBandBps(witness, { feeClass: fee.class, microUsd })) + fee.bps
  return {
    least: leastOut(paid, price, limitBps),
    limitBps,
    shortfallBps: (out) => shortfallBpsUp(paid, { atoms: out, price }),
  }
}

/**
 * The co-signer may read a newer round, or another mean, than we did: half of what is left below the quote stays
 * unused for it, up to this much.
 */
const MARGIN_BPS = 10

function markFloorOf(quote: TradeQuote, expected: bigint): bigint {
  const least = markBoundOf(quote)?.least ?? 0n
  const left = expected - least
  return least === 0n || left <= 0n ? least : least + minOf(left / 2n, feeOf(expected, MARGIN_BPS))
}

/** The trade's share of its signed order's minimum; 0 without one. */
export const orderShareOf = ({ request: { orderBounds }, amountIn }: TradeQuote): bigint =>
  orderBounds ? divUp(orderBounds.minAmountOut * amountIn, orderBounds.amountIn) : 0n

/**
 * The outcome of a route. Slippage applies to the pools' output; then fee, measured taxes, the owner's floor
 * and that of a signed order at the marks. The minimum is never zero.
 */
export function outcomeOf(
  quote: TradeQuote,
  route: PricedRoute,
  { minAmountOut = 0n }: { minAmountOut?: bigint } = {},
): Outcome {
  const takings = takingsOf(quote, route)
  const gross = route.outAfterSellTax ?? lessBps(route.amountOut, taxBpsOf(quote.tokenIn, 'sell_tax_bps'))
  const tolerated = lessBps(gross, Math.min(quote.slippageBps, BPS))
  // The fee of a curve sale is a fixed amount sent separately: it does not shrink with the output.
  const fixedFee =
    quote.fee.side === 'output' && route.way?.kind === 'curve' ? feeOf(gross, quote.fee.bps) : 0n
  const arrives = (amount: bigint): bigint =>
    lessBps(lessBps(lessBps(amount, takings.buyTaxBps), takings.feeBps), takings.transferTaxBps) - fixedFee
  const needed = (wanted: bigint): bigint =>
    beforeBps(
      beforeBps(beforeBps(wanted + fixedFee, takings.transferTaxBps), takings.feeBps),
      takings.buyTaxBps,
    )

  const expected = arrives(gross)
  const floor = maxOf(minAmountOut, orderShareOf(quote), markFloorOf(quote, expected), 1n)
  const least = minOf(arrives(tolerated) >= floor ? tolerated : needed(floor), MAX_UINT128)
  const min = arrives(least)
  return {
    expected,
    min,
    contractMin: takings.countsBeforeTax ? least : lessBps(lessBps(least, takings.buyTaxBps), takings.feeBps),
    direct: takings.direct,
    countsBeforeTax: takings.countsBeforeTax,
    outputFee:
      quote.fee.side === 'output' ? fixedFee || feeOf(lessBps(gross, takings.buyTaxBps), quote.fee.bps) : 0n,
  }
}

function takingsOf({ tokenOut, fee, request }: TradeQuote, { way }: PricedRoute): Deductions {
  const buyTaxBps = taxBpsOf(tokenOut, 'buy_tax_bps')
  if (way === null || way.kind === 'curve') {
    return { buyTaxBps, feeBps: 0, transferTaxBps: 0, direct: false, countsBeforeTax: true }
  }
  const feeBps = fee.side === 'output' ? fee.bps : 0
  const { direct, lastVersion } = directOf(tokenOut, way.legs, { feeBps, request: request })
  return {
    buyTaxBps,
    feeBps,
    transferTaxBps: direct ? 0 : taxBpsOf(tokenOut, 'transfer_tax_bps'),
    direct,
    // v2 checks what arrived, v3 and v4 what the pool reports as sent.
    countsBeforeTax: direct && lastVersion !== 'v2',
  }
}

/**
 * Whether the last pool pays the wallet without a stop at the router, where the arrived amount is checked
 * against the minimum. Only a core token's transfers are known to stay untaxed until the trade is mined. A
 * token that taxes transfers goes direct too, since the stop would be taxed once more. v2 measures a payment
 * by the wallet's balance, which other calls in the same transaction can change: never direct if the minimum
 * has to be enforced at the router.
 */
function directOf(
  tokenOut: TradeToken,
  legs: readonly PoolLeg[],
  { feeBps, request }: { feeBps: number; request: Pick<TradeParams, 'minimumAtRouter'> },
) {
  const [leg] = legs
  const last = leg?.hops[leg.hops.length - 1]
  const isTaxed = taxBpsOf(tokenOut, 'transfer_tax_bps') > 0
  const isPlain = tokenOut.core !== null && last?.version !== 'v2'
  // Same condition as in the encoder: one leg that ends in the output token, and no portion to deduct.
  const encodable = legs.length === 1 && feeBps === 0 && last?.tokenOut === tokenOut.address
  const can = encodable && !(request.minimumAtRouter && last.version === 'v2')
  return { direct: can && (isTaxed || isPlain), lastVersion: last?.version }
}
