import { readFileSync } from 'node:fs'
import { BARE_NUMBERS } from '@pit/platform/test/bareProfile'
import type { ChainProfile, PoolPin } from '@pit/protocol'

const address = (n: number): string => `0x${n.toString(16).padStart(40, '0')}`
export const [USDG, NVDA, SPY] = [address(0xa1), address(0xb2), address(0xc3)] as [string, string, string]
export const ETH = address(0)
export const ROUTER = address(0xd4)
export const RECIPIENT = '0xfee0000000000000000000000000000000004663'

const feed = (n: number, session: 'always' | 'stock') => ({
  address: address(n),
  decimals: 8,
  heartbeat_s: 3_600,
  deviation_bps: 50,
  session,
})
export const v3Pin = (n: number, fee = 500): PoolPin => ({ version: 'v3', address: address(n), fee })
export const v4Pin = (a: string, b: string, fee = 500): PoolPin => ({
  version: 'v4',
  currency0: a < b ? a : b,
  currency1: a < b ? b : a,
  fee,
  tick_spacing: 10,
  hooks: ETH,
})

/** A profile with pools of every kind: v3 and v4, ETH wrapped and native, both directions. */
export function fastProfile(pools: Record<string, PoolPin> = everyShape): ChainProfile {
  const profile = JSON.parse(readFileSync('profiles/mainnet.json', 'utf8')) as ChainProfile
  const [eth, weth] = profile.core_tokens
  profile.core_tokens = [eth!, weth!]
  Object.assign(profile, BARE_NUMBERS)
  profile.contracts.universal_router_layout = '2.1.0'
  eth!.feed = feed(0xf0, 'always')
  weth!.feed = feed(0xf0, 'always')
  const token = (symbol: string, at: string, decimals: number, stock: boolean) => ({
    symbol,
    name: symbol,
    address: at,
    decimals,
    kind: stock ? ('stock' as const) : ('core' as const),
    native: false,
    feed: stock ? feed(0xf1, 'stock') : null,
  })
  profile.core_tokens.push(
    token('USDG', USDG, 6, false),
    token('NVDA', NVDA, 18, true),
    token('SPY', SPY, 18, true),
  )
  profile.contracts.universal_router = ROUTER
  profile.fee_recipient = RECIPIENT
  profile.pins.fast_pools = pools
  return profile
}

const everyShape: Record<string, PoolPin> = {
  'ETH/USDG': v4Pin(ETH, USDG),
  'USDG/ETH': v4Pin(ETH, USDG),
  'WETH/USDG': v3Pin(1),
  'USDG/WETH': v3Pin(1),
  'NVDA/USDG': v4Pin(NVDA, USDG),
  'USDG/NVDA': v4Pin(NVDA, USDG),
  'ETH/SPY': v3Pin(2, 3000),
  'SPY/ETH': v3Pin(2, 3000),
}
