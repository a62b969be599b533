import { readFileSync } from 'node:fs'
import { type ChainProfile, COSIGNER, TRADE } from '@pit/protocol'
import { describe, expect, it } from 'vitest'
import { describeConfig } from './describeConfig.ts'

const readProfile = (path: string): ChainProfile =>
  JSON.parse(readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8'))
const configOf = (profile: ChainProfile) => {
  const settings = { authDomain: 'localhost', requirePartnerAgent: false, submitEnabled: true }
  return describeConfig({ profile, settings, version: '1.0.0', cosigner: null })
}

describe('the config', () => {
  it('bounds slippage by the widest cap of its table, and the co-signer by its own', () => {
    const { limits } = configOf(readProfile('profiles/mainnet.json'))
    const caps = limits.slippage_tolerance_by_size.flatMap(({ major, other }) => [
      major.cap_bps,
      other.cap_bps,
    ])
    expect(limits.max_slippage_bps).toBe(1_000)
    expect(limits.max_slippage_bps).toBe(Math.max(...caps))
    expect(COSIGNER.maxSlippageBps).toBe(500)
    expect(COSIGNER.maxSlippageBps).not.toBe(TRADE.maxSlippageBps)
  })

  it.each([
    ['profiles/mainnet.json', ['ETH', 'WETH', 'USDG', 'NVDA', 'SPY'], ['ETH', 'WETH', 'USDG']],
    [
      'fixtures/pins.json',
      ['ETH', 'WETH', 'USDG', 'cbBTC', 'PARTNER', 'NVDA', 'SPY'],
      ['ETH', 'WETH', 'USDG', 'PARTNER'],
    ],
  ])('lists only tokens of the profile: %s', (path, majors, hubs) => {
    const config = configOf(readProfile(path))
    expect(config.fee.major_symbols).toEqual(majors)
    expect(Object.keys(config.tokens).sort()).toEqual([...majors].sort())
    expect(config.universe.hops.through).toEqual(hubs)
  })
})
