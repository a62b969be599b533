import { type AbiEvent, encodeAbiParameters, encodeEventTopics, parseAbiItem, toEventSelector } from 'viem'
import { describe, expect, it } from 'vitest'
import { randomPool, seeded } from '../../test/randomPool.ts'
import type { Address, Hex } from '../bytes/hex.ts'
import { applyLog, poolIdOfLog } from './applyLog.ts'
import { newV3Pool, newV4Pool } from './create.ts'
import { MalformedLog, type PoolLog, TOPIC } from './logs.ts'
import { poolBorn } from './poolBorn.ts'
import { wordToBigInt } from './tickBitmap.ts'
import type { Concentrated, V3Pool } from './types.ts'
import { undoOf } from './undoLog.ts'

const EVENTS = {
  v2PairCreated: 'event PairCreated(address indexed token0, address indexed token1, address pair, uint256)',
  v2Sync: 'event Sync(uint112 reserve0, uint112 reserve1)',
  v3PoolCreated:
    'event PoolCreated(address indexed token0, address indexed token1, uint24 indexed fee, int24 tickSpacing, address pool)',
  v3Initialize: 'event Initialize(uint160 sqrtPriceX96, int24 tick)',
  v3Mint:
    'event Mint(address sender, address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)',
  v3Burn:
    'event Burn(address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)',
  v3Swap:
    'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)',
  v4Initialize:
    'event Initialize(bytes32 indexed id, address indexed currency0, address indexed currency1, uint24 fee, int24 tickSpacing, address hooks, uint160 sqrtPriceX96, int24 tick)',
  v4ModifyLiquidity:
    'event ModifyLiquidity(bytes32 indexed id, address indexed sender, int24 tickLower, int24 tickUpper, int256 liquidityDelta, bytes32 salt)',
  v4Swap:
    'event Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint24 fee)',
  v4ProtocolFeeUpdated: 'event ProtocolFeeUpdated(bytes32 indexed id, uint24 protocolFee)',
  curveLaunched:
    'event CurveLaunched(address indexed curve, address indexed token, address indexed pair, (address token, address pair, address creator, uint128 virtualPair, uint128 virtualToken, uint128 saleSupply, uint128 poolSupply, uint16 curveFeeBps, uint16 creatorTaxBps, uint16 snipeStartBps, uint16 snipeSeconds, uint48 launchedAt, uint8 poolVersion) terms, string name, string symbol)',
  curveTrade:
    'event CurveTrade(address indexed trader, bool indexed isBuy, uint256 pairAmount, uint256 tokenAmount, uint256 curveFee, uint256 creatorTax, uint256 snipeTax, uint256 x, uint256 y)',
  curveGraduated:
    'event CurveGraduated(address indexed token, address indexed pool, uint8 poolVersion, uint256 pair, uint256 tokens)',
  ponsLaunched:
    'event TokenLaunched(address indexed token, address indexed curve, address indexed deployer, address pairToken, uint256 launchConfigId, uint256 graduationThreshold)',
  ponsBuy:
    'event CurveBuy(address indexed buyer, address indexed recipient, uint256 quoteIn, uint256 tokensOut, uint256 fee, uint256 tax)',
  ponsSell:
    'event CurveSell(address indexed seller, address indexed recipient, uint256 tokensIn, uint256 quoteOut, uint256 fee, uint256 tax)',
  ponsBuyback: 'event BuybackLocked(uint256 quoteSpent, uint256 tokensLocked)',
  ponsCompleted: 'event CurveCompleted(address recipient, uint256 quoteOut, uint256 tokenOut)',
} satisfies Record<keyof typeof TOPIC, string>

const A: Address = `0x${'aa'.repeat(20)}`
const T0: Address = `0x${'11'.repeat(20)}`
const T1: Address = `0x${'22'.repeat(20)}`
const ID: Hex = `0x${'77'.repeat(32)}`

/** The log an event would leave, by viem. */
function log(name: keyof typeof EVENTS, args: Record<string, unknown>, address: Address = A): PoolLog {
  const event = parseAbiItem(EVENTS[name] as string) as AbiEvent
  const topics = encodeEventTopics({ abi: [event], eventName: event.name, args }) as Hex[]
  const plain = event.inputs.filter((input) => !input.indexed)
  const data = encodeAbiParameters(
    plain,
    plain.map((input) => args[input.name ?? ''] ?? 0n),
  )
  return { address, topics, data }
}

function picture(pool: Concentrated) {
  return {
    price: pool.sqrtPriceX96,
    tick: pool.tick,
    liquidity: pool.liquidity,
    ticks: [...pool.ticks].sort(([a], [b]) => a - b),
    words: [...pool.bitmap].sort(([a], [b]) => a - b).map(([at, word]) => [at, wordToBigInt(word)]),
  }
}

it.each(Object.keys(TOPIC) as (keyof typeof TOPIC)[])('knows the topic of %s', (name) => {
  expect(TOPIC[name]).toBe(toEventSelector(EVENTS[name]))
})

describe('births', () => {
  it('of a v2 pair and a v3 pool', () => {
    expect(poolBorn(log('v2PairCreated', { token0: T0, token1: T1, pair: A }))).toEqual({
      version: 'v2',
      id: A,
      token0: T0,
      token1: T1,
      reserve0: 0n,
      reserve1: 0n,
      feeBps: 30,
    })
    expect(
      poolBorn(log('v3PoolCreated', { token0: T0, token1: T1, fee: 3000, tickSpacing: 60, pool: A })),
    ).toEqual(newV3Pool({ id: A, token0: T0, token1: T1, feePips: 3000, tickSpacing: 60 }))
  })

  it('of a v4 pool, already with its price', () => {
    const key = { currency0: T0, currency1: T1, fee: 0x800000, tickSpacing: 60, hooks: A }
    const born = poolBorn(log('v4Initialize', { id: ID, ...key, sqrtPriceX96: 5n << 96n, tick: -887000 }))
    expect(born).toEqual({ ...newV4Pool(ID, key), sqrtPriceX96: 5n << 96n, tick: -887000, lpFeePips: 0 })
  })

  it('of a curve', () => {
    const terms = {
      token: T0,
      pair: T1,
      creator: A,
      virtualPair: 10n,
      virtualToken: 100n,
      saleSupply: 70n,
      poolSupply: 30n,
      curveFeeBps: 100,
      creatorTaxBps: 200,
      snipeStartBps: 8000,
      snipeSeconds: 20,
      launchedAt: 1_700_000_000,
      poolVersion: 3,
    }
    const born = poolBorn(
      log('curveLaunched', { curve: A, token: T0, pair: T1, terms, name: 'n', symbol: 's' }),
    )
    expect(born).toEqual({
      version: 'curve',
      launchpad: 'pit',
      id: A,
      token: T0,
      pair: T1,
      x: 10n,
      y: 100n,
      yFloor: 30n,
      saleSupply: 70n,
      curveFeeBps: 100,
      creatorTaxBps: 200,
      snipeStartBps: 8000,
      snipeSeconds: 20,
      launchedAtS: 1_700_000_000,
      graduated: false,
    })
  })

  it('is nothing else', () => expect(poolBorn(log('v2Sync', { reserve0: 1n, reserve1: 2n }))).toBeUndefined())
})

describe('a pool followed by its logs', () => {
  it('is the same as one built at once, v3 and v4', () => {
    const random = seeded(11)
    for (let round = 0; round < 100; round++) {
      const goal = randomPool(random)
      const key = { currency0: T0, currency1: T1, fee: 500, tickSpacing: goal.tickSpacing, hooks: A }
      const v3 = newV3Pool({
        id: A,
        token0: T0,
        token1: T1,
        feePips: goal.feePips,
        tickSpacing: goal.tickSpacing,
      })
      const v4 = newV4Pool(ID, key)
      const start = { sqrtPriceX96: 1n << 96n, tick: 0 }
      expect(applyLog(v3, log('v3Initialize', start))).toBe(true)
      Object.assign(v4, start)
      // Rebuild the goal from positions of one tick each, and a stray one that comes and goes.
      const spacing = goal.tickSpacing
      const positions = positionsOf(goal)
      for (const [tickLower, tickUpper, amount] of [...positions, [-spacing, spacing, 9n] as const]) {
        applyLog(
          v3,
          log('v3Mint', { sender: A, owner: A, tickLower, tickUpper, amount, amount0: 1n, amount1: 2n }),
        )
        applyLog(
          v4,
          log('v4ModifyLiquidity', {
            id: ID,
            sender: A,
            tickLower,
            tickUpper,
            liquidityDelta: amount,
            salt: ID,
          }),
        )
      }
      applyLog(v3, log('v3Burn', { owner: A, tickLower: -spacing, tickUpper: spacing, amount: 9n }))
      applyLog(
        v4,
        log('v4ModifyLiquidity', {
          id: ID,
          sender: A,
          tickLower: -spacing,
          tickUpper: spacing,
          liquidityDelta: -9n,
          salt: ID,
        }),
      )
      const { sqrtPriceX96, liquidity, tick } = goal
      applyLog(
        v3,
        log('v3Swap', { sender: A, recipient: A, amount0: -1n, amount1: 1n, sqrtPriceX96, liquidity, tick }),
      )
      applyLog(
        v4,
        log('v4Swap', {
          id: ID,
          sender: A,
          amount0: -1n,
          amount1: 1n,
          sqrtPriceX96,
          liquidity,
          tick,
          fee: 777,
        }),
      )
      expect(picture(v3)).toEqual(picture(goal))
      expect(picture(v4)).toEqual(picture(goal))
      expect(v4.lpFeePips).toBe(500)
    }
  })

  it('is restored when its logs are undone', () => {
    const random = seeded(12)
    for (let round = 0; round < 50; round++) {
      const pool = randomPool(random)
      const before = picture(pool)
      const undos: (() => void)[] = []
      const follow = (one: PoolLog) => {
        undos.push(undoOf(pool, one))
        expect(applyLog(pool, one)).toBe(true)
      }
      const edge = pool.tickSpacing * (1 + random.below(5000 / pool.tickSpacing))
      const place = { owner: A, tickLower: -edge, tickUpper: edge }
      follow(log('v3Mint', { ...place, sender: A, amount: 50n }))
      follow(
        log('v3Swap', {
          sender: A,
          recipient: A,
          amount0: 1n,
          amount1: 1n,
          sqrtPriceX96: 5n << 96n,
          liquidity: 7n,
          tick: 32190,
        }),
      )
      follow(log('v3Burn', { ...place, amount: 20n }))
      follow(log('v3Burn', { ...place, amount: 30n }))
      expect(picture(pool)).not.toEqual(before)
      for (const undo of undos.reverse()) undo()
      expect(picture(pool)).toEqual(before)
    }
  })

  it('counts liquidity in the pool’s own only where the price is', () => {
    const pool = newV3Pool({ id: A, token0: T0, token1: T1, feePips: 500, tickSpacing: 10 })
    applyLog(pool, log('v3Initialize', { sqrtPriceX96: 1n << 96n, tick: 100 }))
    const mint = (tickLower: number, tickUpper: number, amount: bigint) =>
      applyLog(pool, log('v3Mint', { sender: A, owner: A, tickLower, tickUpper, amount }))
    mint(100, 110, 1n)
    mint(90, 100, 10n)
    mint(-887270, 887270, 100n)
    expect(pool.liquidity).toBe(101n)
  })

  it('ignores what is not its own', () => {
    const pool = newV4Pool(ID, { currency0: T0, currency1: T1, fee: 500, tickSpacing: 10, hooks: A })
    const other = log('v4Swap', {
      id: `0x${'78'.repeat(32)}`,
      sender: A,
      amount0: 1n,
      amount1: 1n,
      sqrtPriceX96: 9n,
      liquidity: 9n,
      tick: 9,
      fee: 1,
    })
    expect(applyLog(pool, other)).toBe(false)
    expect(pool.liquidity).toBe(0n)
    expect(applyLog(pool, log('v2Sync', { reserve0: 1n, reserve1: 1n }))).toBe(false)
    expect(poolIdOfLog(other)).toBe(`0x${'78'.repeat(32)}`)
    expect(poolIdOfLog(log('v2Sync', { reserve0: 1n, reserve1: 1n }, T0))).toBe(T0)
  })

  it('takes reserves, protocol fees and curve trades', () => {
    const v2 = poolBorn(log('v2PairCreated', { token0: T0, token1: T1, pair: A }))!
    applyLog(v2, log('v2Sync', { reserve0: 12n, reserve1: 2n ** 112n - 1n }))
    expect(v2).toMatchObject({ reserve0: 12n, reserve1: 2n ** 112n - 1n })
    const v4 = newV4Pool(ID, { currency0: T0, currency1: T1, fee: 500, tickSpacing: 10, hooks: A })
    applyLog(v4, log('v4ProtocolFeeUpdated', { id: ID, protocolFee: 0x3e83e8 }))
    expect(v4.protocolFee).toBe(0x3e83e8)
  })

  it('refuses a log with words missing', () => {
    const pool: V3Pool = newV3Pool({ id: A, token0: T0, token1: T1, feePips: 500, tickSpacing: 10 })
    expect(() => applyLog(pool, { address: A, topics: [TOPIC.v3Swap], data: '0x' })).toThrow(MalformedLog)
    expect(() => poolBorn({ address: A, topics: [TOPIC.v4Initialize], data: '0x' })).toThrow(MalformedLog)
  })
})

/** Positions that leave each tick with the gross and net it has: [lower, upper, amount]. */
function positionsOf(pool: Concentrated): (readonly [number, number, bigint])[] {
  const ends = [...pool.ticks].sort(([a], [b]) => a - b)
  const opens = ends.map(([tick, { gross, net }]) => ({ tick, left: (gross + net) / 2n }))
  const closes = ends.map(([tick, { gross, net }]) => ({ tick, left: (gross - net) / 2n }))
  const positions: (readonly [number, number, bigint])[] = []
  let from = 0
  for (const close of closes) {
    while (close.left > 0n) {
      while (opens[from]!.left === 0n) from++
      const open = opens[from]!
      const amount = smaller(open.left, close.left)
      positions.push([open.tick, close.tick, amount])
      open.left -= amount
      close.left -= amount
    }
  }
  return positions
}

function smaller(a: bigint, b: bigint): bigint {
  if (a < b) return a
  return b
}
