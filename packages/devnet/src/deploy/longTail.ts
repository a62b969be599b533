import { type Address, concat, getCreate2Address, type Hex, keccak256, numberToHex } from 'viem'
import type { Acts } from './acts.ts'
import type { Asset } from './amounts.ts'
import type { Assets } from './coreTokens.ts'
import type { Exchanges } from './exchanges.ts'
import { MINUTE_OF_OBSERVATIONS, queueObservationRoom } from './history.ts'
import { type PoolPlan, queuePool, type Shape, v2, v3, v4 } from './pools.ts'
import type { Random } from './random.ts'

/** An unvetted token and its venues. */
export interface LongTailToken {
  address: Address
  symbol: string
  name: string
  venues: ('v2' | 'v3' | 'v4' | 'curve')[]
  /** Symbols of its counter tokens. */
  pairs: string[]
  /** Depth of one side of all its pools; a curve's depends on its trades. */
  depth_usd: number
  /** Number of observations of its v3 pool. */
  observations?: number
  curve?: Address
  graduated?: boolean
}

const FIRST =
  'Lunar Solar Turbo Mega Tiny Quantum Pixel Velvet Rusty Golden Silent Cosmic Feral Neon Paper Iron'.split(
    ' ',
  )
const SECOND =
  'Otter Frog Cat Rocket Noodle Wizard Goose Pepper Badger Comet Mango Yeti Pickle Falcon Robot Moth'.split(
    ' ',
  )
/** Depths of one side in dollars, from dust to deep; a token's is one of these times one to three. */
const DEPTHS_USD = [150n, 600n, 2_500n, 8_000n, 20_000n, 60_000n, 200_000n, 700_000n]
const PRICES_MICRO_USD = [40n, 900n, 15_000n, 300_000n, 4_000_000n, 90_000_000n]
const SUPPLY_WHOLE = 1_000_000_000_000n
const SALT_BASE = 1_000n
const BIRTHS_AT_ONCE = 30

export function nameToken(random: Random, index: number): { name: string; symbol: string } {
  const [first, second] = [random.pick(FIRST), random.pick(SECOND)]
  const symbol = `${first.slice(0, 2)}${second.slice(0, 2)}${index}`.toUpperCase()
  return { name: `${first} ${second} ${index}`, symbol }
}

/** EIP-1167: the init code of a clone, which makes its address. */
const cloneHash = (implementation: Address): Hex =>
  keccak256(
    concat([
      '0x3d602d80600a3d3981f3363d3d373d3d3d363d73',
      implementation,
      '0x5af43d82803e903d91602b57fd5bf3',
    ]),
  )

export const cloneAddress = (from: Address, implementation: Address, salt: bigint): Address =>
  getCreate2Address({ from, salt: numberToHex(salt, { size: 32 }), bytecodeHash: cloneHash(implementation) })

/** Queues plain tokens as clones, everything minted to the builder. */
export function queueBirths(
  acts: Acts,
  tokenCode: Address,
  births: { name: string; symbol: string; salt: bigint }[],
): Address[] {
  for (let i = 0; i < births.length; i += BIRTHS_AT_ONCE) {
    const batch = births
      .slice(i, i + BIRTHS_AT_ONCE)
      .map((birth) => ({ ...birth, supply: SUPPLY_WHOLE * 10n ** 18n }))
    acts.call('WorldBuilder', acts.builder, 'births', [batch], 190_000n * BigInt(batch.length))
  }
  return births.map(({ salt }) => cloneAddress(acts.builder, tokenCode, salt))
}

/** One in this many v3 pools has no room for observations, like most new pools. */
const ROOMLESS_EVERY = 4

/** Queues `count` tokens with one or two pools each, of seeded kind, pair and depth. */
export function queueLongTail(
  acts: Acts,
  world: { assets: Assets; exchanges: Exchanges; tokenCode: Address; random: Random },
  count: number,
): LongTailToken[] {
  const { assets, exchanges, tokenCode, random } = world
  let v3Pools = 0
  const births = Array.from({ length: count }, (_, index) => ({
    ...nameToken(random, index),
    salt: SALT_BASE + BigInt(index),
  }))
  const addresses = queueBirths(acts, tokenCode, births)
  return births.map(({ name, symbol }, index) => {
    const token: Asset = {
      symbol,
      address: addresses[index]!,
      decimals: 18,
      priceMicroUsd: random.pick(PRICES_MICRO_USD) * BigInt(1 + random.below(9)),
    }
    const depthUsd = random.pick(DEPTHS_USD) * BigInt(1 + random.below(3))
    const plans = [planPool(token, assets, random, depthUsd)]
    if (random.chance(15)) plans.push(v4(assets.USDG, token, 2500, depthUsd / 3n + 50n, 'full'))
    for (const plan of plans) queuePool(acts, plan)
    const [first] = plans
    const hasRoom = first?.version === 'v3' && ++v3Pools % ROOMLESS_EVERY > 0
    if (hasRoom) queueObservationRoom(acts, exchanges, first, MINUTE_OF_OBSERVATIONS)
    return {
      address: token.address,
      symbol,
      name,
      venues: plans.map((plan) => plan.version),
      pairs: plans.map((plan) => (plan.a === token ? plan.b : plan.a).symbol),
      depth_usd: Number(depthUsd),
      ...(hasRoom && { observations: MINUTE_OF_OBSERVATIONS }),
    }
  })
}

/** Mostly v4, since a v2 pair or v3 pool is a separate contract and costs ten times the gas to create. */
function planPool(token: Asset, assets: Assets, random: Random, depthUsd: bigint): PoolPlan {
  const dice = random.below(100)
  const shape: Shape = random.pick(['full', 'full', 'peaked', 'layered'])
  if (dice < 25)
    return v2(token, random.pick([assets.WETH, assets.WETH, assets.USDG, assets.PARTNER]), depthUsd)
  if (dice < 35)
    return v3(token, random.pick([assets.WETH, assets.USDG]), random.pick([3000, 10000]), depthUsd, shape)
  const pair = random.pick([assets.ETH, assets.ETH, assets.ETH, assets.USDG, assets.USDG, assets.PARTNER])
  return v4(pair, token, random.pick([3000, 3000, 10000, 500]), depthUsd, shape)
}
