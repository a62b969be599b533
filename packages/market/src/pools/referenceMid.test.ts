import {
  type Address,
  createPoolIndex,
  NATIVE,
  newV2Pool,
  newV4Pool,
  type Pool,
  sqrtPriceAtTick,
} from '@pit/chain'
import type { ChainProfile } from '@pit/protocol'
import { describe, expect, it } from 'vitest'
import { crossMid, referenceMid } from './referenceMid.ts'

const at = (n: number): Address => `0x${n.toString(16).padStart(40, '0')}`
const [WETH, USDG, BTC] = [at(0xa1), at(0xb2), at(0xc3)]
const core = (symbol: string, address: Address, decimals: number) => ({ symbol, address, decimals })

/** `units` USDG for one unit. */
function v2(id: Address, token: Address, decimals: number, units: bigint): Pool {
  const [token0, token1] = token < USDG ? [token, USDG] : [USDG, token]
  const reserves = [10n ** BigInt(decimals) * 100n, units * 100n * 10n ** 6n] as const
  const [reserve0, reserve1] = token < USDG ? reserves : [reserves[1], reserves[0]]
  return Object.assign(newV2Pool({ id, token0, token1 }), { reserve0, reserve1 })
}
const pin = (address: Address) => ({ version: 'v2', address })
const ETH_KEY = { currency0: NATIVE, currency1: USDG, fee: 500, tickSpacing: 10, hooks: NATIVE }
const ETH_PIN = {
  version: 'v4',
  currency0: NATIVE,
  currency1: USDG,
  fee: 500,
  tick_spacing: 10,
  hooks: NATIVE,
}

function mids(pools: Pool[], reference_pools: Record<string, unknown[]>) {
  const index = createPoolIndex({ weth: WETH, hubs: [] })
  for (const pool of pools) index.add(pool)
  const profile = {
    core_tokens: [
      core('ETH', NATIVE, 18),
      core('WETH', WETH, 18),
      core('USDG', USDG, 6),
      core('cbBTC', BTC, 8),
    ],
    pins: { reference_pools },
  } as unknown as ChainProfile
  const deps = { market: { index }, profile }
  return {
    of: (token: Address) => referenceMid(deps, token),
    cross: (a: Address, b: Address) => crossMid(deps, a, b),
  }
}

describe('a reference mid', () => {
  it('is the median of the pinned pools, in units, on either side of USDG', () => {
    const pools = [v2(at(1), WETH, 18, 2_400n), v2(at(2), WETH, 18, 2_500n), v2(at(3), WETH, 18, 9_000n)]
    const { of } = mids([...pools, v2(at(4), BTC, 8, 60_000n)], {
      WETH: pools.map(({ id }) => pin(id as Address)),
      cbBTC: [pin(at(4))],
    })
    expect(of(WETH)).toBeCloseTo(2_500, 6)
    expect(of(BTC)).toBeCloseTo(60_000, 6)
    expect(of(USDG)).toBe(1)
  })

  it('of ETH falls back to WETH’s, and vice versa', () => {
    const pool = v2(at(1), WETH, 18, 2_500n)
    expect(mids([pool], { WETH: [pin(at(1))] }).of(NATIVE)).toBeCloseTo(2_500, 6)
    expect(mids([pool], { ETH: [pin(at(1))] }).of(WETH)).toBeCloseTo(2_500, 6)
  })

  it('finds a v4 pool by its whole key', () => {
    const pool = newV4Pool(`0x${'ab'.repeat(32)}`, ETH_KEY)
    pool.sqrtPriceX96 = sqrtPriceAtTick(-198_079)
    const near = Math.round(1.0001 ** -198_079 * 1e12)
    expect(Math.round(mids([pool], { ETH: [ETH_PIN] }).of(NATIVE)!)).toBe(near)
    const other = newV4Pool(`0x${'cd'.repeat(32)}`, { ...ETH_KEY, hooks: at(0xbad) })
    other.sqrtPriceX96 = sqrtPriceAtTick(0)
    expect(mids([other], { ETH: [ETH_PIN] }).of(NATIVE)).toBeNull()
    const wrapped = newV4Pool(`0x${'ef'.repeat(32)}`, { ...ETH_KEY, currency0: WETH })
    wrapped.sqrtPriceX96 = sqrtPriceAtTick(0)
    expect(mids([wrapped], { ETH: [ETH_PIN] }).of(NATIVE)).toBeNull()
  })

  it('is null without a usable pool, and for tokens that are not core', () => {
    const empty = Object.assign(v2(at(1), WETH, 18, 1n), { reserve0: 0n, reserve1: 0n })
    expect(mids([], { WETH: [pin(at(1))] }).of(WETH)).toBeNull()
    expect(mids([empty], { WETH: [pin(at(1))] }).of(WETH)).toBeNull()
    expect(mids([], {}).of(WETH)).toBeNull()
    expect(mids([], {}).of(at(0x77))).toBeNull()
  })

  it('crosses through USDG', () => {
    const { cross } = mids([v2(at(1), WETH, 18, 2_500n), v2(at(4), BTC, 8, 60_000n)], {
      WETH: [pin(at(1))],
      cbBTC: [pin(at(4))],
    })
    expect(cross(BTC, NATIVE)).toBeCloseTo(24, 9)
    expect(cross(NATIVE, USDG)).toBeCloseTo(2_500, 6)
    expect(cross(USDG, BTC)).toBeCloseTo(1 / 60_000, 12)
    expect(cross(NATIVE, at(0x77))).toBeNull()
  })
})
