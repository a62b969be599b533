import type { Chain, Hex } from '../engine/types.ts'
import type { QuoteNearMid } from '../vendors/index.ts'
import { feePips } from './fair.ts'
import { type PoolState, readPools } from './pools.ts'
import { type MarketWorld, NATIVE, type Pool } from './types.ts'

const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase()

function largest(amounts: bigint[]): bigint {
  let most = 0n
  for (const amount of amounts) if (amount > most) most = amount
  return most
}

/** Output of a constant product at the pool's price and depth: near the mid, less fee and impact. */
function amountOut(pool: Pool, state: PoolState, tokenIn: string, amountIn: bigint): bigint {
  const zeroForOne = same(pool.currency0, tokenIn)
  const [reserveIn, reserveOut] = zeroForOne ? [state.depth0, state.depth1] : [state.depth1, state.depth0]
  const net = (amountIn * BigInt(1_000_000 - feePips(pool))) / 1_000_000n
  return (net * reserveOut) / (reserveIn + net)
}

/** An aggregator's view of the pools: the best direct route, otherwise the best through WETH, ETH or USDG. */
export function createQuoteNearMid(chain: Chain, world: MarketWorld): QuoteNearMid {
  const { weth, usdg } = world.contracts
  const byToken = new Map<string, Pool[]>()
  for (const pool of world.pools) {
    for (const token of [pool.currency0, pool.currency1]) {
      const key = token.toLowerCase()
      byToken.set(key, [...(byToken.get(key) ?? []), pool])
    }
  }
  // An aggregator treats ETH and WETH as one.
  const names = (token: string) =>
    same(token, weth) || same(token, NATIVE) ? [weth, NATIVE] : [token as Hex]

  async function best(from: string, to: string, amountIn: bigint): Promise<bigint> {
    const ends = names(to).map((name) => name.toLowerCase())
    const pools = names(from).flatMap((name) =>
      (byToken.get(name.toLowerCase()) ?? []).filter((pool) => {
        const other = same(pool.currency0, name) ? pool.currency1 : pool.currency0
        return ends.includes(other.toLowerCase())
      }),
    )
    const states = await readPools(chain, world.contracts, pools.slice(0, 24))
    const outs = states.map((state, i) => {
      const pool = pools[i] as Pool
      const tokenIn =
        names(from).find((name) => same(name, pool.currency0) || same(name, pool.currency1)) ?? from
      return state ? amountOut(pool, state, tokenIn, amountIn) : 0n
    })
    return largest(outs)
  }

  return async (tokenIn, tokenOut, amountIn) => {
    if (names(tokenIn).some((name) => same(name, tokenOut))) return null
    const direct = await best(tokenIn, tokenOut, amountIn)
    const ways = [direct]
    for (const middle of [weth, usdg]) {
      if (names(middle).some((name) => same(name, tokenIn) || same(name, tokenOut))) continue
      const half = await best(tokenIn, middle, amountIn)
      if (half > 0n) ways.push(await best(middle, tokenOut, half))
    }
    const most = largest(ways)
    return most > 0n ? most : null
  }
}
