import { BPS, beforeBps, feeOf, lessBps, maxOf, minOf } from '@pit/protocol'
import { taxBpsOf } from '../taxes.ts'
import type { PoolLeg, PricedRoute, TradeParams, TradeQuote, TradeToken } from '../types.ts'

/** Expected and minimum output, as the wallet and as the called contract sees them. */
export interface Outcome {
  /** What the wallet should receive. */
  expected: bigint
  /** What it receives at least. */
  min: bigint
  /** What the contract called is told to insist on: it may count before the wallet does. */
  contractMin: bigint
  /** Whether the last pool pays the wallet itself: see directOf. */
  direct: boolean
  /** The contract called counts what left the pool: a tax raised between now and then is not seen by it. */
  countsBeforeTax: boolean
  /** What an output-side fee should be; zero when the input pays. */
  outputFee: bigint
}

/** Amounts are clamped to uint128, the widest the router encodes. */
const MAX_UINT128 = (1n << 128n) - 1n

/** Takings on the way of the output, in their order; each leaves its part. */
interface Takings {
  /** Of what the pools send. */
  buyTaxBps: number
  /** The service's, of what the router holds. */
  feeBps: number
  /** Of what the router sends on. */
  transferTaxBps: number
  direct: boolean
  /** Whether the minimum is held against what left the pool or what arrived from it. */
  countsBeforeTax: boolean
}

/**
 * The outcome of a route. Slippage applies to what the pools deliver; fee, measured taxes and an own floor
 * come after. Never a minimum of nothing: a trade for nothing is no trade.
 */
export function outcomeOf(
  quote: TradeQuote,
  route: PricedRoute,
  { minAmountOut = 0n }: { minAmountOut?: bigint } = {},
): Outcome {
  const takings = takingsOf(quote, route)
  const gross = route.outAfterSellTax ?? lessBps(route.amountOut, taxBpsOf(quote.tokenIn, 'sell_tax_bps'))
  const tolerated = lessBps(gross, Math.min(quote.slippageBps, BPS))
  // A fee of a curve sale is a fixed amount, sent apart: it does not shrink with what comes out.
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
  const floor = maxOf(minAmountOut, 1n)
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

function takingsOf({ tokenOut, fee, request }: TradeQuote, { way }: PricedRoute): Takings {
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
    // v2 is judged by what arrived, v3 and v4 by what the pool says it sent.
    countsBeforeTax: direct && lastVersion !== 'v2',
  }
}

/**
 * Whether the last pool pays the wallet, without a stop at the router where what arrived is held against the
 * minimum. Only a core token's transfers are known to stay plain until the trade is mined. A token that taxes
 * transfers goes direct all the same: the stop would be taxed once more. v2 judges a payment by what the
 * wallet has more, which anything else inside the call may bring about: never where the minimum has to be
 * held at the router.
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
  // As the encoder has it: one leg that ends in the output itself, and no portion to take.
  const encodable = legs.length === 1 && feeBps === 0 && last?.tokenOut === tokenOut.address
  const can = encodable && !(request.minimumAtRouter && last.version === 'v2')
  return { direct: can && (isTaxed || isPlain), lastVersion: last?.version }
}
