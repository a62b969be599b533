import { type Address, NATIVE, newV2Pool } from '@pit/chain'
import { BARE_PROFILE } from '@pit/platform/test/bareProfile'
import type { ChainProfile } from '@pit/protocol'
import { toHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { createPoolBound, createPoolValue } from './poolBound.ts'
import type { AnyPool } from './poolLogs.ts'

const at = (n: number): Address => toHex(n, { size: 20 })
const pool = (n: number): AnyPool => newV2Pool({ id: at(n), token0: at(1), token1: at(2) })

describe('the bound of pools in memory', () => {
  /** Ten pools at most; a pool's value is looked up by its number. */
  function open(usd: Record<number, number>, { isPriced = true } = {}) {
    const usdOf = ({ id }: AnyPool) => (isPriced ? (usd[Number(id)] ?? 0) : null)
    const bound = createPoolBound({ isPinned: (id) => id === at(99), value: { usdOf }, max: 10 })
    const excess = (...numbers: number[]) =>
      bound.excess(numbers.map(pool), numbers.length).map(({ id }) => Number(id))
    return { bound, excess }
  }
  const TEN = [10, 11, 12, 13, 14, 15, 16, 17, 18, 19]

  it('evicts nothing up to the bound and admits everything', () => {
    const { bound, excess } = open({})
    expect(excess(...TEN)).toEqual([])
    expect(bound.admits(pool(20))).toBe(true)
  })

  it('evicts the thinnest, among dust the last to enter, and never a pinned pool', () => {
    const { excess } = open({ 10: 500, 11: 0.99, 12: 5, 13: 900, 14: 900, 15: 900, 16: 900, 17: 900 })
    // 11, 18, 19 and 20 are dust whatever their cents; 99 has nothing, but is pinned.
    expect(excess(99, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20)).toEqual([20, 19, 18])
  })

  it('admits after an eviction only what has more money than the evicted, until there is room', () => {
    const { bound, excess } = open({ 30: 2, 31: 0.5, ...Object.fromEntries(TEN.map((n) => [n, 100])) })
    expect(excess(...TEN, 20)).toEqual([20, 19])
    expect([29, 31, 30].map((n) => bound.admits(pool(n)))).toEqual([false, false, false])
    expect(bound.admits(pool(99))).toBe(true)
    expect(excess(...TEN.slice(0, 8))).toEqual([])
    expect(bound.admits(pool(30))).toBe(false)
    expect(excess(...TEN.slice(0, 7))).toEqual([])
    expect(bound.admits(pool(30))).toBe(true)
    expect(excess(...TEN, 20)).toEqual([20, 19])
  })

  it('evicts nothing before prices are known', () => {
    expect(open({}, { isPriced: false }).excess(...TEN, 20, 21)).toEqual([])
  })
})

describe('the value of a pool', () => {
  const USDG = at(0x5d)
  const token = (symbol: string, address: Address, decimals: number) => ({
    symbol,
    address,
    decimals,
    feed: null,
  })
  const feed = { address: at(0xfe), decimals: 8, heartbeat_s: 60, deviation_bps: 50, session: 'always' }
  const profile = {
    ...BARE_PROFILE,
    core_tokens: [{ ...token('ETH', NATIVE, 18), native: true, feed }, token('USDG', USDG, 6)],
  } as unknown as ChainProfile
  const reserves = (token0: Address, token1: Address, reserve0: bigint, reserve1: bigint) =>
    Object.assign(newV2Pool({ id: at(7), token0, token1 }), { reserve0, reserve1 })
  const E18 = 10n ** 18n

  it('is its marked tokens in dollars, by the last price of each', () => {
    const marks = new Map<Address, { priceE18: bigint }>()
    const value = createPoolValue(profile, (one) => marks.get(one))
    const both = reserves(NATIVE, USDG, 2n * E18, 3_000_000n)
    expect(value.usdOf(both)).toBeNull()
    marks.set(USDG, { priceE18: E18 })
    expect(value.usdOf(both)).toBeNull()
    marks.set(NATIVE, { priceE18: 2_500n * E18 })
    expect(value.usdOf(both)).toBeCloseTo(5_003)
    marks.clear()
    expect(value.usdOf(both)).toBeCloseTo(5_003)
    expect(value.usdOf(reserves(NATIVE, at(0xee), E18, 10n ** 40n))).toBeCloseTo(2_500)
    expect(value.usdOf(reserves(at(0xee), at(0xef), 10n ** 40n, 10n ** 40n))).toBe(0)
  })
})
