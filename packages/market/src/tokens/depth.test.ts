import type { CurvePool } from '@pit/chain'
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
