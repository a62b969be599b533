import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { canonicalJson } from './canonicalJson.ts'
import { fastRoutesOf, fastTableJson } from './fastRoutes.ts'
import { FAST } from './numbers.ts'
import type { ChainProfile, PoolPin } from './profile.ts'

const NATIVE = `0x${'0'.repeat(40)}`
const USDG = `0x${'Aa'.repeat(20)}`
const NVDA = `0x${'bB'.repeat(20)}`

const v4 = (other: string): PoolPin => ({
  version: 'v4',
  currency0: NATIVE,
  currency1: other,
  fee: 3000,
  tick_spacing: 60,
  hooks: NATIVE,
})
const v3: PoolPin = { version: 'v3', address: `0x${'Cc'.repeat(20)}`, fee: 500 }

function profileWith(pools: Record<string, PoolPin>): ChainProfile {
  const profile = JSON.parse(readFileSync('profiles/mainnet.json', 'utf8')) as ChainProfile
  const token = (symbol: string, address: string, decimals: number, kind: 'core' | 'stock') =>
    ({ symbol, name: symbol, address, decimals, kind, native: false, feed: null }) as const
  profile.core_tokens = profile.core_tokens.slice(0, 2)
  profile.core_tokens.push(token('USDG', USDG, 6, 'core'), token('NVDA', NVDA, 18, 'stock'))
  profile.core_tokens.push(token('cbBTC', `0x${'dd'.repeat(20)}`, 8, 'core'))
  profile.contracts.universal_router = `0x${'Ee'.repeat(20)}`
  profile.fee_recipient = `0x${'Ff'.repeat(20)}`
  profile.pins.fast_pools = pools
  return profile
}
const commandsOf = (pair: string, pool: PoolPin) => fastRoutesOf(profileWith({ [pair]: pool })).pairs[pair]!

describe('fastRoutesOf', () => {
  it.each<[string, PoolPin, string, string | null, string]>([
    ['ETH/USDG', v4(USDG), '0x0510', null, 'TRANSFER'],
    ['USDG/ETH', v4(USDG), '0x100604', '0x0a100604', 'PAY_PORTION'],
    ['ETH/USDG', v3, '0x050b0004', null, 'TRANSFER'],
    ['USDG/ETH', v3, '0x000c0604', '0x0a000c0604', 'PAY_PORTION'],
    ['WETH/USDG', v3, '0x0200', '0x0a0200', 'PERMIT2_TRANSFER_FROM'],
    ['USDG/WETH', v3, '0x000604', '0x0a000604', 'PAY_PORTION'],
    ['USDG/NVDA', v3, '0x0200', '0x0a0200', 'PERMIT2_TRANSFER_FROM'],
    ['NVDA/USDG', v3, '0x000604', '0x0a000604', 'PAY_PORTION'],
    ['ETH/NVDA', v4(NVDA), '0x0510', null, 'TRANSFER'],
  ])('%s pays its fee at the end that ranks first: %#', (pair, pool, commands, withPermit, feeCommand) => {
    const route = commandsOf(pair, pool)
    expect(route.commands).toBe(commands)
    expect(route.permit?.commands ?? null).toBe(withPermit)
    expect(route.fee.command).toBe(feeCommand)
    expect(route.inputs).toHaveLength((commands.length - 2) / 2)
    expect(route.fee.token).toBe(
      route.fee.side === 'input' ? route.token_in.address : route.token_out.address,
    )
    expect(route.value).toBe(pair.startsWith('ETH/') ? '$amount_in' : '0')
  })

  it('holds pairs across to a wider band and a lower cap than those against USDG', () => {
    const { pairs, max_usd } = fastRoutesOf(profileWith({ 'ETH/USDG': v4(USDG), 'ETH/NVDA': v4(NVDA) }))
    expect(pairs['ETH/USDG']).toMatchObject({ band_bps: 75, pool_fee_bps: 30, max_usd: FAST.maxNotionalUsd })
    expect(pairs['ETH/NVDA']).toMatchObject({ band_bps: 125, max_usd: 1_000 })
    expect(max_usd).toEqual({ 'ETH/USDG': FAST.maxNotionalUsd, 'ETH/NVDA': 1_000 })
  })

  it('asks for more gas where more is done, and never for more than a call may have', () => {
    const floor = (pair: string, pool: PoolPin) => commandsOf(pair, pool).gas_floor
    expect(floor('USDG/ETH', v3)).toBeGreaterThan(floor('USDG/WETH', v3))
    expect(floor('USDG/WETH', v3)).toBeGreaterThan(floor('WETH/USDG', v3))
    const dearest = commandsOf('USDG/ETH', v3)
    expect(dearest.gas_floor + dearest.permit!.gas_add).toBeLessThan(FAST.gasLimitMax)
  })

  it('is plain JSON in lower case, the same whatever the order of the pins', () => {
    const pins = { 'ETH/USDG': v4(USDG), 'WETH/USDG': v3 }
    const turned = { 'WETH/USDG': v3, 'ETH/USDG': v4(USDG) }
    const text = canonicalJson(fastTableJson(fastRoutesOf(profileWith(pins))))
    expect(canonicalJson(fastTableJson(fastRoutesOf(profileWith(turned))))).toBe(text)
    expect(text.match(/0x[0-9a-fA-F]+/g)!.filter((hex) => hex !== hex.toLowerCase())).toEqual([])
    expect(JSON.parse(text)).toEqual(fastRoutesOf(profileWith(pins)))
  })

  it('has no routes without a router or fee recipient', () => {
    const profile = profileWith({ 'ETH/USDG': v4(USDG) })
    expect(fastRoutesOf({ ...profile, fee_recipient: null }).pairs).toEqual({})
    profile.contracts.universal_router = null
    expect(fastRoutesOf(profile)).toMatchObject({ pairs: {}, max_usd: {}, router: null })
  })

  it.each<[string, string, PoolPin]>([
    ['a token that has none', 'cbBTC/USDG', v3],
    ['one token', 'ETH', v4(USDG)],
    ['the same token twice', 'USDG/USDG', v3],
    ['ether against ether', 'ETH/WETH', v3],
    ['a v2 pool', 'WETH/USDG', { version: 'v2', address: `0x${'cc'.repeat(20)}` }],
    ['a pool of other tokens', 'ETH/USDG', v4(NVDA)],
    ['a native pool for WETH', 'WETH/USDG', v4(USDG)],
    ['a hook', 'ETH/USDG', { ...v4(USDG), hooks: USDG } as PoolPin],
    ['a fee that moves', 'ETH/USDG', { ...v4(USDG), fee: 0x800000 } as PoolPin],
  ])('refuses a profile that pins %s', (_, pair, pool) => {
    expect(() => fastRoutesOf(profileWith({ [pair]: pool }))).toThrow(/fast pool/)
  })
})
