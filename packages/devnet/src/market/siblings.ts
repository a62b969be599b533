import {
  type ArbitrageDeps,
  alignTx,
  assetsByToken,
  isOutside,
  type RoundTerms,
  targetOf,
} from './arbitrage.ts'
import { fairSqrtX96, priceOfSqrtX96 } from './fair.ts'
import { type PoolState, readPools } from './pools.ts'
import type { MarketTx } from './sender.ts'
import type { Asset, MarketWorld, Pool } from './types.ts'

/** A pool of an unpriced token against a priced one. */
interface Sibling {
  pool: Pool
  other: Asset
  side: 0 | 1
}

/** The pools of one unpriced token, if there are several: they are compared with each other. */
export type Siblings = Sibling[]

export function siblingPools(world: MarketWorld): Siblings[] {
  const assets = assetsByToken(world)
  const groups = new Map<string, Siblings>()
  for (const pool of world.pools) {
    const sides = [pool.currency0.toLowerCase(), pool.currency1.toLowerCase()] as const
    for (const side of [0, 1] as const) {
      const [token, other] = [sides[side], assets.get(sides[side === 0 ? 1 : 0])]
      if (assets.has(token) || !other) continue
      groups.set(token, [...(groups.get(token) ?? []), { pool, other, side }])
    }
  }
  return [...groups.values()].filter((pools) => pools.length > 1)
}

/** Only ratios of its price are used, so any decimals work. */
const UNPRICED: Asset = { symbol: '', token: '0x', decimals: 18, feed: null, volatility: 0 }

interface Judged extends Sibling {
  usd: number
  otherUsd: number
  /** Dollars on the priced side. */
  depthUsd: number
}

function judge(
  sibling: Sibling,
  state: PoolState | undefined,
  prices: ReadonlyMap<string, number>,
): Judged[] {
  const { other, side } = sibling
  const otherUsd = prices.get(other.symbol)
  if (!state || !otherUsd) return []
  const [decimals0, decimals1] = side === 0 ? [18, other.decimals] : [other.decimals, 18]
  const ratio = priceOfSqrtX96(state.sqrtX96, decimals0, decimals1)
  const depth = Number(side === 0 ? state.depth1 : state.depth0) / 10 ** other.decimals
  return [
    { ...sibling, otherUsd, usd: (side === 0 ? ratio : 1 / ratio) * otherUsd, depthUsd: depth * otherUsd },
  ]
}

/** The token's mean price over all its pools, weighted by depth. */
function meanUsd(judged: Judged[]): number {
  const total = judged.reduce((sum, { depthUsd }) => sum + depthUsd, 0)
  return Math.exp(judged.reduce((sum, { usd, depthUsd }) => sum + Math.log(usd) * (depthUsd / total), 0))
}

/** One round over a few tokens: each one's pools are brought to their common price. */
export async function siblingRound(
  deps: ArbitrageDeps,
  terms: RoundTerms,
  groups: Siblings[],
  prices: ReadonlyMap<string, number>,
  round: number,
): Promise<MarketTx | undefined> {
  if (groups.length === 0) return undefined
  const chosen = Array.from({ length: Math.min(terms.maxPools, groups.length) }, (_, i) => {
    return groups[(round * terms.maxPools + i) % groups.length] as Siblings
  })
  const pools = chosen.flat().map(({ pool }) => pool)
  const states = await readPools(deps.chain, deps.world.contracts, pools)
  const stateOf = new Map(pools.map((pool, i) => [pool, states[i]]))
  const targets = chosen.flatMap((group) => {
    const judged = group.flatMap((sibling) => judge(sibling, stateOf.get(sibling.pool), prices))
    const fairUsd = meanUsd(judged)
    // The cheapest first: tokens bought there are sold where they cost more.
    return judged
      .sort((a, b) => a.usd - b.usd)
      .map(({ pool, other, side, otherUsd }) => {
        const fair =
          side === 0
            ? fairSqrtX96(UNPRICED, other, fairUsd, otherUsd)
            : fairSqrtX96(other, UNPRICED, otherUsd, fairUsd)
        return { target: targetOf(pool, fair, terms.slackBps), state: stateOf.get(pool) }
      })
      .flatMap(({ target, state }) => (isOutside(target, state?.sqrtX96) ? [target] : []))
  })
  return targets.length > 0 ? alignTx(deps.arbitrageur, targets, terms.maxMoves) : undefined
}
