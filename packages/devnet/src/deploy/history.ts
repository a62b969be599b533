import type { Acts } from './acts.ts'
import { atomsOf, sorted } from './amounts.ts'
import type { Assets } from './coreTokens.ts'
import type { Exchanges } from './exchanges.ts'
import { type PoolPlan, poolAddressOf } from './pools.ts'
import type { Random } from './random.ts'

/** One observation a second for more than a TWAP's half hour, or its minute. */
export const HALF_HOUR_OF_OBSERVATIONS = 2_000
export const MINUTE_OF_OBSERVATIONS = 75
const OBSERVATIONS_PER_ACT = 500

/** Queues room for so many observations of a pool, in acts that fit into a block. */
export function queueObservationRoom(
  acts: Acts,
  exchanges: Exchanges,
  plan: PoolPlan & { version: 'v3' },
  observations: number,
): void {
  const pool = poolAddressOf(exchanges, plan)
  for (let room = 0; room < observations; ) {
    const more = Math.min(OBSERVATIONS_PER_ACT, observations - room)
    room += more
    const gas = BigInt(more) * 22_600n + 100_000n
    acts.call('IV3Pool', pool, 'increaseObservationCardinalityNext', [room], gas)
  }
}

const MIN_SQRT_PRICE = 4295128740n
const MAX_SQRT_PRICE = 1461446703485210103287273052203988822378723970341n

/** Queues one small trade of a seeded side in the pinned pool: it leaves an observation. */
export function queueHistoryTrade(
  acts: Acts,
  world: { assets: Assets; exchanges: Exchanges; random: Random; plan: PoolPlan & { version: 'v3' } },
): void {
  const [token0, token1] = sorted(world.plan.a, world.plan.b)
  const zeroForOne = world.random.chance(50)
  const amount = atomsOf(zeroForOne ? token0 : token1, BigInt(2_000 + world.random.below(8_000)))
  const limit = zeroForOne ? MIN_SQRT_PRICE : MAX_SQRT_PRICE
  const pool = poolAddressOf(world.exchanges, world.plan)
  acts.call(
    'WorldBuilder',
    acts.builder,
    'v3Swap',
    [pool, token0.address, token1.address, zeroForOne, amount, limit],
    400_000n,
  )
}
