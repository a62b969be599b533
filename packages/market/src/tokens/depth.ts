import {
  type Address,
  type Concentrated,
  type CurvePool,
  midPrice,
  type Pool,
  sqrtPriceAtTick,
} from '@pit/chain'

/** Floats throughout: these figures rank and disclose; they never decide an amount. */

export type TradingPool = Pool | CurvePool

/** The other token of the pool. */
export function pairOf(pool: TradingPool, token: Address): Address {
  if (pool.version === 'curve') return pool.pair
  return pool.token0 === token ? pool.token1 : pool.token0
}

/** Whether the pool can sell anything. */
export function isAlive(pool: TradingPool): boolean {
  if (pool.version === 'curve') return !pool.graduated
  if (pool.version === 'v2') return pool.reserve0 > 0n && pool.reserve1 > 0n
  return pool.sqrtPriceX96 > 0n && (pool.liquidity > 0n || pool.ticks.size > 0)
}

/** Atoms of the pair for one atom of the token. */
export function spotInPair(pool: TradingPool, token: Address): number {
  if (pool.version === 'curve') return pool.y === 0n ? 0 : Number(pool.x) / Number(pool.y)
  return priceInPair(midPrice(pool), pool.token0 === token)
}

/** Atoms of the pair for one of the token, from a mid of token1 for token0. */
export function priceInPair(mid: number, tokenIsFirst: boolean): number {
  if (tokenIsFirst) return mid
  return mid === 0 ? 0 : 1 / mid
}

/** Atoms of the pair in the pool: what holders could be paid from. */
export function pairAtomsIn(pool: TradingPool, token: Address): number {
  if (pool.version === 'curve') return raised(pool)
  const tokenIsFirst = pool.token0 === token
  if (pool.version === 'v2') return Number(tokenIsFirst ? pool.reserve1 : pool.reserve0)
  const { amount0, amount1 } = amountsIn(pool)
  return tokenIsFirst ? amount1 : amount0
}

/** Amount paid in by buyers, without the virtual part of the reserve. */
function raised(curve: CurvePool): number {
  // x·y is constant, so x at the start follows from y at the start.
  const yStart = curve.yFloor + curve.saleSupply
  const xStart = Number(curve.x) * (Number(curve.y) / Number(yStart))
  return Math.max(0, Number(curve.x) - xStart)
}

/** The amounts of all positions, walking the ticks upwards. */
function amountsIn(pool: Concentrated): { amount0: number; amount1: number } {
  const ticks = [...pool.ticks].sort(([a], [b]) => a - b)
  let [amount0, amount1, liquidity] = [0, 0, 0n]
  for (const [i, [tick, { net }]] of ticks.entries()) {
    liquidity += net
    const next = ticks[i + 1]
    if (next === undefined || liquidity === 0n) continue
    if (pool.tick >= next[0]) amount1 += Number(liquidity) * (rootAt(next[0]) - rootAt(tick))
    else if (pool.tick < tick) amount0 += Number(liquidity) * (1 / rootAt(tick) - 1 / rootAt(next[0]))
    else {
      const within = amountsWithin(pool.sqrtPriceX96, liquidity, [tick, next[0]])
      amount0 += within.amount0
      amount1 += within.amount1
    }
  }
  return { amount0, amount1 }
}

/** Exact: at the edge of a range, float rounding times a large liquidity would look like value. */
function amountsWithin(root: bigint, liquidity: bigint, [lower, upper]: readonly [number, number]) {
  const [low, high] = [sqrtPriceAtTick(lower), sqrtPriceAtTick(upper)]
  const at = root < low ? low : root > high ? high : root
  return {
    amount0: Number(((liquidity << 96n) * (high - at)) / (high * at)),
    amount1: Number((liquidity * (at - low)) >> 96n),
  }
}

const rootAt = (tick: number): number => 1.0001 ** (tick / 2)
