import { type Abi, encodeFunctionData } from 'viem'
import type { Chain, Hex } from '../engine/types.ts'
import { bandOf, fairSqrtX96 } from './fair.ts'
import { readPoolPrices } from './pools.ts'
import type { MarketTx } from './sender.ts'
import { POOL_KEY } from './swapTx.ts'
import { type Asset, type MarketWorld, NATIVE, type Pool } from './types.ts'

const ARBITRAGEUR_ABI = [
  {
    type: 'function',
    name: 'align',
    stateMutability: 'nonpayable',
    inputs: [
      {
        name: 'targets',
        type: 'tuple[]',
        components: [
          { name: 'version', type: 'uint8' },
          { name: 'pool', type: 'address' },
          { name: 'key', ...POOL_KEY },
          { name: 'low', type: 'uint160' },
          { name: 'high', type: 'uint160' },
        ],
      },
      { name: 'maxMoves', type: 'uint256' },
    ],
    outputs: [],
  },
] as const satisfies Abi

/** A pool whose two sides both have a price. */
export interface PricedPool {
  pool: Pool
  asset0: Asset
  asset1: Asset
}

/** Assets by token; WETH is ETH. */
export function assetsByToken(world: MarketWorld): Map<string, Asset> {
  const byToken = new Map(world.assets.map((asset) => [asset.token.toLowerCase(), asset]))
  const eth = byToken.get(NATIVE)
  if (eth) byToken.set(world.contracts.weth.toLowerCase(), eth)
  return byToken
}

/** Pools the arbitrageur can price: both currencies are assets. */
export function pricedPools(world: MarketWorld): PricedPool[] {
  const byToken = assetsByToken(world)
  return world.pools.flatMap((pool) => {
    const asset0 = byToken.get(pool.currency0.toLowerCase())
    const asset1 = byToken.get(pool.currency1.toLowerCase())
    return asset0 && asset1 ? [{ pool, asset0, asset1 }] : []
  })
}

export interface RoundTerms {
  /** How far past its fee a pool may drift before it is traded back. */
  slackBps: number
  maxPools: number
  maxMoves: number
}

export interface ArbitrageDeps {
  chain: Chain
  world: MarketWorld
  arbitrageur: Hex
}

/** One round: a moving window over the pools, so that each gets its turn. */
export async function arbitrageRound(
  deps: ArbitrageDeps,
  terms: RoundTerms,
  priced: PricedPool[],
  prices: ReadonlyMap<string, number>,
  round: number,
): Promise<MarketTx | undefined> {
  if (priced.length === 0) return undefined
  const start = (round * terms.maxPools) % priced.length
  const turned = [...priced.slice(start), ...priced.slice(0, start)].slice(0, terms.maxPools)
  const pricesX96 = await readPoolPrices(
    deps.chain,
    deps.world.contracts,
    turned.map(({ pool }) => pool),
  )
  const targets = turned.flatMap(({ pool, asset0, asset1 }, i) => {
    const [usd0, usd1] = [prices.get(asset0.symbol), prices.get(asset1.symbol)]
    if (!usd0 || !usd1) return []
    const target = targetOf(pool, fairSqrtX96(asset0, asset1, usd0, usd1), terms.slackBps)
    return isOutside(target, pricesX96[i]) ? [target] : []
  })
  return targets.length > 0 ? alignTx(deps.arbitrageur, targets, terms.maxMoves) : undefined
}

/** A pool within its band costs gas in the transaction and would not be traded. */
export const isOutside = ({ low, high }: Target, sqrtX96: bigint | undefined): boolean =>
  sqrtX96 !== undefined && (sqrtX96 < low || sqrtX96 > high)

interface Target {
  version: number
  pool: Hex
  key: { currency0: Hex; currency1: Hex; fee: number; tickSpacing: number; hooks: Hex }
  low: bigint
  high: bigint
}

export function targetOf(pool: Pool, fair: bigint, slackBps: number): Target {
  const { version, address, currency0, currency1, fee, tickSpacing, hooks } = pool
  const key = { currency0, currency1, fee, tickSpacing, hooks }
  return { version, pool: address, key, ...bandOf(pool, fair, slackBps) }
}

export function alignTx(arbitrageur: Hex, targets: Target[], maxMoves: number): MarketTx {
  const args = [targets, BigInt(maxMoves)] as const
  const data = encodeFunctionData({ abi: ARBITRAGEUR_ABI, functionName: 'align', args })
  return { to: arbitrageur, data, gas: 400_000n + 400_000n * BigInt(maxMoves) }
}
