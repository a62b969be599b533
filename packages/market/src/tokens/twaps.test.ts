import { type Address, createPoolIndex, newV2Pool, newV3Pool, type Pool, v3PoolAbi } from '@pit/chain'
import { createLogger } from '@pit/platform/monitoring'
import { BARE_PROFILE, NOWHERE } from '@pit/platform/test/bareProfile'
import { createManualClock } from '@pit/platform/test/manualClock'
import { createScriptedChain } from '@pit/platform/test/scriptedChain'
import type { ChainProfile } from '@pit/protocol'
import { encodeFunctionResult } from 'viem'
import { describe, expect, it } from 'vitest'
import type { TokenDeps } from './deps.ts'
import { createMarketView } from './marketView.ts'
import { createTwaps } from './twaps.ts'

const START_S = 1_800_000_000
const address = (n: number): Address => `0x${n.toString(16).padStart(40, '0')}`
const [USDG, TOKEN, POOL, PAIR] = [address(0x11), address(0x22), address(0x33), address(0x44)]
const USD: ChainProfile['core_tokens'][number] = {
  symbol: 'USDG',
  name: 'Global Dollar',
  address: USDG,
  decimals: 18,
  kind: 'core',
  native: false,
  feed: null,
}

/** A v3 pool whose observations say a mean tick, and a market of given pools. */
function open(pools: Pool[] = []) {
  const chain = createScriptedChain({ startS: START_S, multicall3: NOWHERE })
  let tick: number | null = 0
  let headS = START_S
  let reads = 0
  chain.onCall(({ to }) => {
    if (to !== POOL) return undefined
    reads += 1
    if (tick === null) throw new Error('OLD')
    const result = [
      [0n, BigInt(tick) * 60n],
      [0n, 0n],
    ] as const
    return encodeFunctionResult({ abi: v3PoolAbi, functionName: 'observe', result })
  })
  const clock = createManualClock(START_S * 1_000)
  const index = createPoolIndex({ weth: address(0x77), hubs: [USDG] })
  for (const pool of pools) index.add(pool)
  const market = {
    head: () => ({ number: 1, timestampS: headS, baseFeeWei: 1n }),
    index,
    curveOf: () => undefined,
    mark: (token: Address) =>
      token === USDG
        ? { priceE18: 10n ** 18n, source: 'fixed', updatedAtS: START_S, stale: false }
        : undefined,
  } as unknown as TokenDeps['market']
  const profile = { ...BARE_PROFILE, core_tokens: [USD] } as ChainProfile
  const twaps = createTwaps({
    rpc: chain.rpc,
    clock,
    market,
    profile,
    logger: createLogger({ level: 'silent' }),
  })
  const view = createMarketView({ profile, market, twaps })
  return {
    chain,
    clock,
    twaps,
    referenceNow: async () => {
      const { twapPool } = view({ address: TOKEN, decimals: 18 })
      if (twapPool !== null) await twaps.refresh(twapPool)
      return view({ address: TOKEN, decimals: 18 }).reference
    },
    reads: () => reads,
    moveTo: (next: number | null) => {
      tick = next
    },
    setHeadS: (nextS: number) => {
      headS = nextS
    },
  }
}

describe('a mean price', () => {
  it('is read once for all callers within three seconds', async () => {
    const { twaps, clock, reads, moveTo } = open()
    await Promise.all(Array.from({ length: 50 }, () => twaps.refresh(POOL)))
    await clock.advance(2_999)
    moveTo(1_000)
    expect(await twaps.refresh(POOL)).toBe(false)
    expect([reads(), twaps.latest(POOL)]).toEqual([1, { mid: 1, readAtS: START_S }])
    await clock.advance(1)
    expect(await twaps.refresh(POOL)).toBe(true)
    expect([reads(), twaps.latest(POOL)?.mid]).toEqual([2, expect.closeTo(1.0001 ** 1_000, 9)])
  })

  it('ages by the chain’s clock if that is ahead', async () => {
    const { twaps, reads, setHeadS } = open()
    await twaps.refresh(POOL)
    setHeadS(START_S + 3)
    await twaps.refresh(POOL)
    expect(reads()).toBe(2)
  })

  it('expires after a minute, and is missing if the pool’s history is too short', async () => {
    const { twaps, chain, clock, moveTo } = open()
    await twaps.refresh(POOL)
    chain.isDown = true
    await clock.advance(60_000)
    expect(await twaps.refresh(POOL)).toBe(false)
    expect(twaps.latest(POOL)?.mid).toBe(1)
    await clock.advance(1)
    expect(twaps.latest(POOL)).toBeUndefined()
    chain.isDown = false
    moveTo(null)
    await twaps.refresh(POOL)
    expect(twaps.latest(POOL)).toBeUndefined()
  })
})

describe('a reference', () => {
  const dollars = (usd: number) => BigInt(usd) * 10n ** 18n
  /** A dollar a token on either side. */
  const v3 = (usd: number): Pool => {
    const pool = newV3Pool({ id: POOL, token0: USDG, token1: TOKEN, feePips: 3_000, tickSpacing: 60 })
    const liquidity = dollars(usd)
    const ticks = new Map([
      [-887_220, { gross: liquidity, net: liquidity }],
      [887_220, { gross: liquidity, net: -liquidity }],
    ])
    return { ...pool, sqrtPriceX96: 1n << 96n, liquidity, ticks }
  }
  const v2 = (usd: number): Pool => ({
    ...newV2Pool({ id: PAIR, token0: USDG, token1: TOKEN }),
    reserve0: dollars(usd),
    reserve1: dollars(usd),
  })

  it('follows the pool’s mean', async () => {
    const { referenceNow, moveTo, clock } = open([v3(1_000)])
    expect(await referenceNow()).toEqual({ source: 'twap', address: POOL, price_usd: 1, read_at: START_S })
    // The token is the second: fewer of it for a dollar make it dearer.
    moveTo(-1_398)
    await clock.advance(3_000)
    expect(await referenceNow()).toMatchObject({ price_usd: expect.closeTo(1.15, 3), read_at: START_S + 3 })
  })

  it('ignores a pool that is shallow, absolutely or next to another', async () => {
    expect(await open([v3(250), v2(1_000)]).referenceNow()).toMatchObject({ source: 'twap' })
    expect(await open([v3(240), v2(1_000)]).referenceNow()).toMatchObject({ source: 'spot', address: PAIR })
    expect(await open([v3(40)]).referenceNow()).toMatchObject({ source: 'none' })
  })
})
