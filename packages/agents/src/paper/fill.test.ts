import { markPrice, rescaleDown, worthDown } from '@pit/protocol'
import { describe, expect, it } from 'vitest'
import { gasCostOf } from './fill.ts'

describe('gas', () => {
  it('is rounded up in both units', () => {
    const request = { gas: 1, gasPriceWei: 1n, ethPriceE18: 1n }
    expect(gasCostOf(request, 6)).toEqual({ microUsd: 1n, usdgAtoms: 1n })
    expect(gasCostOf({ ...request, gas: 0 }, 6)).toEqual({ microUsd: 0n, usdgAtoms: 0n })
    // 150,000 gas at 0.01 gwei is 0.0000015 ETH; at 2,500 dollars 0.00375.
    const real = { gas: 150_000, gasPriceWei: 10_000_000n, ethPriceE18: 2_500n * 10n ** 18n }
    expect(gasCostOf(real, 6)).toEqual({ microUsd: 3_750n, usdgAtoms: 3_750n })
    expect(gasCostOf(real, 18)).toEqual({ microUsd: 3_750n, usdgAtoms: 3_750n * 10n ** 12n })
  })
})

describe('value', () => {
  it('is rounded down, also for few decimals', () => {
    expect(worthDown(1n, markPrice(10n ** 18n, 0))).toBe(1_000_000n)
    expect(worthDown(3n, markPrice(10n ** 18n, 18))).toBe(0n)
    expect(worthDown(15n * 10n ** 17n, markPrice(2_500n * 10n ** 18n, 18))).toBe(3_750_000_000n)
    expect(rescaleDown(10_000_000_000n, 6, 6)).toBe(10_000_000_000n)
    expect(rescaleDown(1_500_000n, 6, 2)).toBe(150n)
  })
})
