import { hookEffectOf } from './hooks.ts'
import { swapExactIn, swapExactOut } from './swapConcentrated.ts'
import type { Pool, SwapResult, V2Pool, V4Pool } from './types.ts'

const BPS = 10_000n
const MAX_UINT112 = (1n << 112n) - 1n
const MAX_INT128 = (1n << 127n) - 1n
const MAX_INT256 = (1n << 255n) - 1n
const PIPS = 1_000_000

/**
 * Exact output of a pool for an input; undefined where the contract would revert or its hook has the last
 * word.
 */
export function quoteExactIn(
  pool: Pool,
  zeroForOne: boolean,
  amountIn: bigint,
  maxSteps?: number,
): SwapResult | undefined {
  if (amountIn <= 0n) return undefined
  if (pool.version === 'v2') return quoteV2(pool, zeroForOne, amountIn)
  if (pool.sqrtPriceX96 === 0n) return undefined
  if (pool.version === 'v3') {
    return amountIn > MAX_INT256 ? undefined : swapExactIn(pool, pool.feePips, zeroForOne, amountIn, maxSteps)
  }
  if (amountIn > MAX_INT128 || hookEffectOf(pool.key) !== 'none') return undefined
  const result = swapExactIn(pool, v4SwapFeePips(pool, zeroForOne), zeroForOne, amountIn, maxSteps)
  return result.amountOut > MAX_INT128 ? undefined : result
}

/** Exact cost of an output; undefined where the contract would revert or its hook has the last word. */
export function quoteExactOut(
  pool: Pool,
  zeroForOne: boolean,
  amountOut: bigint,
  maxSteps?: number,
): SwapResult | undefined {
  if (amountOut <= 0n) return undefined
  if (pool.version === 'v2') return quoteV2Out(pool, zeroForOne, amountOut)
  if (pool.sqrtPriceX96 === 0n) return undefined
  if (pool.version === 'v3') {
    return amountOut > MAX_INT256
      ? undefined
      : swapExactOut(pool, pool.feePips, zeroForOne, amountOut, maxSteps)
  }
  const feePips = v4SwapFeePips(pool, zeroForOne)
  if (amountOut > MAX_INT128 || feePips >= PIPS || hookEffectOf(pool.key) !== 'none') return undefined
  const result = swapExactOut(pool, feePips, zeroForOne, amountOut, maxSteps)
  return result.amountIn > MAX_INT128 ? undefined : result
}

/** The protocol's fee comes off the input first, the liquidity providers' off the rest. */
export function v4SwapFeePips(pool: Pick<V4Pool, 'protocolFee' | 'lpFeePips'>, zeroForOne: boolean): number {
  const protocol = zeroForOne ? pool.protocolFee & 0xfff : pool.protocolFee >> 12
  return protocol + pool.lpFeePips - Math.floor((protocol * pool.lpFeePips) / PIPS)
}

/** Constant product; the fee stays in the pool. */
export function v2AmountOut(amountIn: bigint, reserveIn: bigint, reserveOut: bigint, feeBps: number): bigint {
  const spendable = amountIn * (BPS - BigInt(feeBps))
  return (spendable * reserveOut) / (reserveIn * BPS + spendable)
}

/** The least input that gives `amountOut`, as the v2 library rounds it. */
export function v2AmountIn(amountOut: bigint, reserveIn: bigint, reserveOut: bigint, feeBps: number): bigint {
  const left = (reserveOut - amountOut) * (BPS - BigInt(feeBps))
  return (reserveIn * amountOut * BPS) / left + 1n
}

function quoteV2(pool: V2Pool, zeroForOne: boolean, amountIn: bigint): SwapResult | undefined {
  const { reserve0, reserve1, feeBps } = pool
  const [reserveIn, reserveOut] = zeroForOne ? [reserve0, reserve1] : [reserve1, reserve0]
  // The pair refuses balances past 112 bits and swaps that give nothing.
  if (reserveIn === 0n || reserveOut === 0n || reserveIn + amountIn > MAX_UINT112) return undefined
  const amountOut = v2AmountOut(amountIn, reserveIn, reserveOut, feeBps)
  return amountOut === 0n ? undefined : { amountIn, amountOut, ...WHOLE }
}

function quoteV2Out(pool: V2Pool, zeroForOne: boolean, amountOut: bigint): SwapResult | undefined {
  const { reserve0, reserve1, feeBps } = pool
  const [reserveIn, reserveOut] = zeroForOne ? [reserve0, reserve1] : [reserve1, reserve0]
  if (reserveIn === 0n || amountOut >= reserveOut) return undefined
  const amountIn = v2AmountIn(amountOut, reserveIn, reserveOut, feeBps)
  return reserveIn + amountIn > MAX_UINT112 ? undefined : { amountIn, amountOut, ...WHOLE }
}

const WHOLE = { filled: true, sqrtPriceX96: 0n, ticksCrossed: 0, steps: 1 }
