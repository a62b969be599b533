import {
  type Address,
  encodeAbiParameters,
  encodePacked,
  getCreate2Address,
  keccak256,
  zeroAddress,
} from 'viem'
import type { Acts } from './acts.ts'
import { type Asset, atomsOf, isqrt, sorted, sqrtPriceX96 } from './amounts.ts'
import type { Exchanges } from './exchanges.ts'

/**
 * A position around the price: `below` and `above` in tick spacings, its depth as a multiple of the pool's.
 */
interface Band {
  below: number
  above: number
  times: bigint
}

/** Shapes of liquidity: each pool's depth spread over the whole range, and thicker near the price. */
const SHAPES = {
  full: [{ below: 0, above: 0, times: 1n }],
  /** Some near the price, like most pools. */
  peaked: [
    { below: 0, above: 0, times: 1n },
    { below: 40, above: 40, times: 4n },
  ],
  /** Many ranges, some lopsided, so that a big trade crosses many ticks. */
  layered: [
    { below: 0, above: 0, times: 1n },
    { below: 120, above: 120, times: 2n },
    { below: 30, above: 45, times: 6n },
    { below: 8, above: 5, times: 10n },
    { below: 2, above: 3, times: 15n },
  ],
  /** Nothing far from the price: a big trade runs out of liquidity. */
  narrow: [{ below: 6, above: 6, times: 8n }],
} as const satisfies Record<string, readonly Band[]>
export type Shape = keyof typeof SHAPES

export type PoolPlan =
  | { version: 'v2'; a: Asset; b: Asset; depthUsd: bigint }
  | { version: 'v3'; a: Asset; b: Asset; depthUsd: bigint; fee: number; shape: Shape }
  | {
      version: 'v4'
      a: Asset
      b: Asset
      depthUsd: bigint
      fee: number
      tickSpacing: number
      hooks: Address
      shape: Shape
    }

export interface PoolKey {
  currency0: Address
  currency1: Address
  fee: number
  tickSpacing: number
  hooks: Address
}

const TICK_SPACING: Record<number, number> = { 100: 1, 500: 10, 3000: 60, 10000: 200 }
/** A v4 pool whose hook sets the fee. */
export const DYNAMIC_FEE = 0x800000

const GAS = {
  v2: 2_900_000n,
  v3: 5_100_000n,
  v4: 200_000n,
  band: 420_000n,
}

/** Queues a pool with its liquidity, `depthUsd` on each side at the plan's prices. */
export function queuePool(acts: Acts, plan: PoolPlan): void {
  const [token0, token1] = sorted(plan.a, plan.b)
  const amount0 = atomsOf(token0, plan.depthUsd)
  const amount1 = atomsOf(token1, plan.depthUsd)
  const call = (functionName: string, args: unknown[], gas: bigint) =>
    acts.call('WorldBuilder', acts.builder, functionName, args, gas)
  if (plan.version === 'v2') {
    call('v2Pool', [token0.address, token1.address, amount0, amount1], GAS.v2)
    return
  }
  const depth = isqrt(amount0 * amount1)
  const bands = SHAPES[plan.shape].map(({ below, above, times }) => ({
    below,
    above,
    liquidity: depth * times,
  }))
  const price = sqrtPriceX96(amount0, amount1)
  const bandsGas = GAS.band * BigInt(bands.length)
  if (plan.version === 'v3') {
    call('v3Pool', [token0.address, token1.address, plan.fee, price, bands], GAS.v3 + bandsGas)
    return
  }
  call('v4Pool', [poolKeyOf(plan), price, bands], GAS.v4 + bandsGas)
}

export function poolKeyOf(plan: PoolPlan & { version: 'v4' }): PoolKey {
  const [token0, token1] = sorted(plan.a, plan.b)
  return {
    currency0: token0.address,
    currency1: token1.address,
    fee: plan.fee,
    tickSpacing: plan.tickSpacing,
    hooks: plan.hooks,
  }
}

export function poolAddressOf(exchanges: Exchanges, plan: PoolPlan & { version: 'v2' | 'v3' }): Address {
  const [token0, token1] = sorted(plan.a, plan.b)
  if (plan.version === 'v2') {
    return getCreate2Address({
      from: exchanges.v2_factory,
      salt: keccak256(encodePacked(['address', 'address'], [token0.address, token1.address])),
      bytecodeHash: exchanges.v2_pair_init_code_hash,
    })
  }
  return getCreate2Address({
    from: exchanges.v3_factory,
    salt: keccak256(
      encodeAbiParameters(
        [{ type: 'address' }, { type: 'address' }, { type: 'uint24' }],
        [token0.address, token1.address, plan.fee],
      ),
    ),
    bytecodeHash: exchanges.v3_pool_init_code_hash,
  })
}

export const v2 = (a: Asset, b: Asset, depthUsd: bigint): PoolPlan => ({ version: 'v2', a, b, depthUsd })

export const v3 = (a: Asset, b: Asset, fee: number, depthUsd: bigint, shape: Shape = 'peaked'): PoolPlan => ({
  version: 'v3',
  a,
  b,
  fee,
  depthUsd,
  shape,
})

export const v4 = (
  a: Asset,
  b: Asset,
  fee: number,
  depthUsd: bigint,
  shape: Shape = 'peaked',
  hooked: { hooks: Address; tickSpacing?: number } = { hooks: zeroAddress },
): PoolPlan => ({
  version: 'v4',
  a,
  b,
  fee,
  tickSpacing: hooked.tickSpacing ?? TICK_SPACING[fee] ?? 60,
  hooks: hooked.hooks,
  depthUsd,
  shape,
})
