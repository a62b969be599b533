import {
  type Address,
  type Crypto,
  type CurvePool,
  findRoutes,
  type Hop,
  NATIVE,
  type Pool,
  quoteCurveBuy,
} from '@pit/chain'
import type { TokenMarket } from '../deps.ts'
import { isAlive, pairOf } from '../depth.ts'

/** One way to test a token: buy it with lent ETH through these pools, or from its curve. */
export type TrialWay =
  | { kind: 'pool'; hops: readonly Hop[]; valueWei: bigint; expectedOut: bigint | null }
  | {
      kind: 'curve'
      curve: CurvePool
      /** From ETH to the curve's pair; empty when that is ETH. */
      hops: readonly Hop[]
      valueWei: bigint
      pairAmount: bigint
      expectedOut: bigint
    }

/** About 25 dollars first; a pool too shallow for that is tried with less. */
const VALUES_WEI = [10n ** 16n, 10n ** 14n, 10n ** 12n]
const MAX_WAYS = 2

/** Ways to try a token, best first, each through another pool. */
export function findTrials(
  { market, crypto }: { market: TokenMarket; crypto: Pick<Crypto, 'keccakText'> },
  token: Address,
  nowS: number,
): TrialWay[] {
  const { index } = market
  const routesTo = (tokenOut: Address, amountIn: bigint) =>
    findRoutes({ index, crypto }, { tokenIn: NATIVE, tokenOut, amountIn }).routes
  const curve = market.curveOf(token)
  if (curve?.version === 'curve' && !curve.graduated) {
    const way = byCurve(curve)
    if (way) return [way]
  }
  const ways: TrialWay[] = []
  const tried = new Set<string>()
  for (const valueWei of VALUES_WEI) {
    for (const { hops, amountOut } of routesTo(token, valueWei)) {
      const last = hops[hops.length - 1]!.pool.id
      if (tried.has(last)) continue
      tried.add(last)
      ways.push({ kind: 'pool', hops, valueWei, expectedOut: amountOut })
      if (ways.length === MAX_WAYS) return ways
    }
    if (ways.length > 0) return ways
  }
  return byPool()

  function byCurve(at: CurvePool): TrialWay | undefined {
    const [valueWei] = VALUES_WEI as [bigint]
    const route = at.pair === NATIVE ? undefined : routesTo(at.pair, valueWei)[0]
    if (at.pair !== NATIVE && !route) return undefined
    // A margin for price moves before the simulation: it must not spend more than arrived.
    const pairAmount = route ? (route.amountOut * 95n) / 100n : valueWei
    const quote = quoteCurveBuy(at, pairAmount, nowS)
    if (!quote || quote.tokensOut === 0n) return undefined
    return {
      kind: 'curve',
      curve: at,
      hops: route?.hops ?? [],
      valueWei,
      pairAmount,
      expectedOut: quote.tokensOut,
    }
  }

  /** Pools that no route uses: only their hook can quote them, or their pair is not a hub. */
  function byPool(): TrialWay[] {
    const [valueWei] = VALUES_WEI as [bigint]
    for (const pool of index.of(token)) {
      if (!isAlive(pool)) continue
      const hop = hopInto(pool, token)
      const isEth = hop.tokenIn === NATIVE || hop.tokenIn === index.weth
      const before = isEth ? [] : routesTo(hop.tokenIn, valueWei)[0]?.hops
      if (before) return [{ kind: 'pool', hops: [...before, hop], valueWei, expectedOut: null }]
    }
    return []
  }
}

function hopInto(pool: Pool, token: Address): Hop {
  const tokenIn = pairOf(pool, token)
  return { pool, zeroForOne: pool.token0 === tokenIn, tokenIn, tokenOut: token }
}
