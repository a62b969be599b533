import { describe, expect, it } from 'vitest'
import { FEE, TRADE, TREASURY_SPLIT_BPS } from './numbers.ts'
import { isSevere, RISK_CODES, SHIELD_POLICIES, severeFirst } from './risks.ts'

describe('the disclosure table', () => {
  it('has ten severe risks', () => {
    expect(RISK_CODES.filter(isSevere)).toHaveLength(10)
    expect(RISK_CODES).toHaveLength(26)
  })

  it('lists severe risks first and keeps their order otherwise', () => {
    expect(severeFirst(['PROXY', 'HONEYPOT', 'CURVE', 'SELL_TAX'])).toEqual([
      'HONEYPOT',
      'SELL_TAX',
      'PROXY',
      'CURVE',
    ])
  })

  it('blocks every severe risk with block_severe', () => {
    expect(SHIELD_POLICIES.block_severe).toEqual(RISK_CODES.filter(isSevere))
  })
})

describe('the numbers', () => {
  it('are consistent with each other', () => {
    expect(Object.values(TREASURY_SPLIT_BPS).reduce<number>((sum, bps) => sum + bps, 0)).toBe(10_000)
    expect(FEE.majorTiers[0].bps).toBe(FEE.majorMaxBps)
    expect(FEE.majorTiers.at(-1)?.bps).toBe(FEE.majorMinBps)
    expect(TRADE.slippageToleranceBySize.at(-1)?.up_to_usd).toBe(TRADE.maxNotionalUsd)
    for (const { major, other } of TRADE.slippageToleranceBySize) {
      expect(major.default_bps).toBeLessThanOrEqual(major.cap_bps)
      expect(other.default_bps).toBeLessThanOrEqual(other.cap_bps)
    }
  })
})
