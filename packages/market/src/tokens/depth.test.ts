import { type CurvePool, changeLiquidity, newV3Pool, sqrtPriceAtTick } from '@pit/chain'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { pairAtomsIn } from './depth.ts'

const TOKEN = `0x${'01'.repeat(20)}` as const
const launched: CurvePool = {
  version: 'curve',
  launchpad: 'pit',
  id: `0x${'0c'.repeat(20)}`,
  token: TOKEN,
  pair: `0x${'00'.repeat(20)}`,
  x: 10n ** 18n,
  y: 1_000n * 10n ** 18n,
  yFloor: 400n * 10n ** 18n,
  saleSupply: 600n * 10n ** 18n,
  curveFeeBps: 100,
  creatorTaxBps: 0,
  snipeStartBps: 0,
  snipeSeconds: 0,
  launchedAtS: 0,
  graduated: false,
}

it('counts of a curve what was paid in, whatever supply it started with', () => {
  expect(pairAtomsIn(launched, TOKEN)).toBe(0)
  // Half of what it had at first is gone, so the pair's side has doubled: as much again was paid in.
  const half = { ...launched, x: 2n * 10n ** 18n, y: 500n * 10n ** 18n }
  expect(pairAtomsIn(half, TOKEN)).toBeCloseTo(1e18, -6)
  const other = { ...half, yFloor: 0n, saleSupply: 1_000n * 10n ** 18n }
  expect(pairAtomsIn(other, TOKEN)).toBeCloseTo(1e18, -6)
})

const OTHER = `0x${'02'.repeat(20)}` as const
/** A pool with one position, its price at a tick. */
function poolAt(tick: number, [lower, upper]: readonly [number, number], liquidity: bigint) {
  const pool = newV3Pool({ id: TOKEN, token0: TOKEN, token1: OTHER, feePips: 100, tickSpacing: 1 })
  Object.assign(pool, { sqrtPriceX96: sqrtPriceAtTick(tick), tick })
  changeLiquidity(pool, lower, upper, liquidity)
  return pool
}

it('finds no money at the edge of a range, however large the liquidity', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -200_000, max: 200_000 }),
      fc.integer({ min: 1, max: 100 }),
      (edge, width) => {
        const above = poolAt(edge, [edge, edge + width], 10n ** 34n)
        expect(pairAtomsIn(above, TOKEN)).toBe(0)
        const below = poolAt(edge, [edge - width, edge], 10n ** 34n)
        expect(pairAtomsIn(below, OTHER)).toBe(0)
      },
    ),
  )
})

it('counts both sides of a position around the price', () => {
  const pool = poolAt(0, [-6_000, 6_000], 10n ** 24n)
  const expected = 1e24 * (1 - 1.0001 ** -3_000)
  expect(pairAtomsIn(pool, TOKEN) / expected).toBeCloseTo(1, 9)
  expect(pairAtomsIn(pool, OTHER) / expected).toBeCloseTo(1, 9)
})
