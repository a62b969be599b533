import type { CurvePool } from './types.ts'

/**
 * The launchpad's curve, rounding for rounding as its contract: constant product over reserves with a virtual
 * part.
 */

export type CurveBuy = {
  tokensOut: bigint
  /** What is taken of the input; less than it only when the buy takes the last token for sale. */
  spent: bigint
  curveFee: bigint
  creatorTax: bigint
  snipeTax: bigint
  graduates: boolean
}
export type CurveSell = { pairOut: bigint; curveFee: bigint; creatorTax: bigint }

const BPS = 10_000n

/**
 * Falls in whole seconds from its start to nothing; `atS` is the time of the block that would hold the trade.
 */
export function snipeTaxBps(curve: CurvePool, atS: number): number {
  const elapsed = Math.max(0, Math.floor(atS) - curve.launchedAtS)
  const { snipeSeconds, snipeStartBps } = curve
  return elapsed >= snipeSeconds ? 0 : Math.floor((snipeStartBps * (snipeSeconds - elapsed)) / snipeSeconds)
}

export function quoteCurveBuy(curve: CurvePool, amountIn: bigint, atS: number): CurveBuy | undefined {
  if (curve.graduated || amountIn <= 0n) return undefined
  const { x, y } = curve
  const snipeBps = BigInt(snipeTaxBps(curve, atS))
  const creatorBps = BigInt(curve.creatorTaxBps)
  const taxBps = BigInt(curve.curveFeeBps) + creatorBps + snipeBps
  const left = y - curve.yFloor
  let spent = amountIn
  let net = amountIn - (amountIn * taxBps) / BPS
  let tokensOut = (y * net) / (x + net)
  const graduates = tokensOut >= left
  if (graduates) {
    tokensOut = left
    const after = y - left
    net = (x * left + after - 1n) / after
    spent = net === 0n ? 0n : ((net - 1n) * BPS) / (BPS - taxBps) + 1n
  }
  const creatorTax = (spent * creatorBps) / BPS
  const snipeTax = (spent * snipeBps) / BPS
  return { tokensOut, spent, curveFee: spent - net - creatorTax - snipeTax, creatorTax, snipeTax, graduates }
}

export function quoteCurveSell(curve: CurvePool, tokensIn: bigint): CurveSell | undefined {
  if (curve.graduated || tokensIn <= 0n) return undefined
  const gross = (curve.x * tokensIn) / (curve.y + tokensIn)
  const tax = (gross * BigInt(curve.curveFeeBps + curve.creatorTaxBps)) / BPS
  const creatorTax = (gross * BigInt(curve.creatorTaxBps)) / BPS
  return { pairOut: gross - tax, curveFee: tax - creatorTax, creatorTax }
}
