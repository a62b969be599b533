import { launchpadsIn } from '@pit/chain'
import { type ChainProfile, lower, type PoolPin } from '@pit/protocol'
import type { Hex } from '../engine/types.ts'
import { type Asset, type Curve, type MarketWorld, NATIVE, type Pool } from './types.ts'

/** Annual standard deviation by symbol; other stocks share one. */
const VOLATILITY: Record<string, number> = {
  ETH: 0.8,
  cbBTC: 0.7,
  PARTNER: 1.5,
  NVDA: 0.6,
  SPY: 0.25,
  USDG: 0,
}
const STOCK_VOLATILITY = 0.5

function required(value: string | null, name: string): Hex {
  if (value === null) throw new Error(`the profile has no ${name}`)
  return lower(value)
}

function feedOf(feed: ChainProfile['core_tokens'][number]['feed']): Asset['feed'] {
  if (feed === null) return null
  const { decimals, session, deviation_bps: deviationBps, heartbeat_s: heartbeatS } = feed
  return { address: lower(feed.address), decimals, session, deviationBps, heartbeatS }
}

/** Everything with a dollar price: core tokens (WETH is ETH) and listed stocks with a feed. */
function assetsOf(profile: ChainProfile): Asset[] {
  const core = profile.core_tokens
    .filter(({ symbol }) => symbol !== 'WETH')
    .map(({ symbol, address, decimals, feed, native }) => ({
      symbol,
      token: native ? NATIVE : lower(address),
      decimals,
      feed: feedOf(feed),
      volatility: VOLATILITY[symbol] ?? STOCK_VOLATILITY,
      ...(symbol === 'USDG' && { anchorUsd: 1 }),
    }))
  const stocks = profile.listed_stocks
    .filter(({ feed }) => feed !== null)
    .map(({ symbol, address, decimals, feed }) => ({
      symbol,
      token: lower(address),
      decimals,
      feed: feedOf(feed),
      volatility: VOLATILITY[symbol] ?? STOCK_VOLATILITY,
    }))
  return [...core, ...stocks]
}

function isPin(pool: Pool, pin: PoolPin): boolean {
  if (pin.version !== 'v4') return pool.version !== 4 && pool.address === lower(pin.address)
  return (
    pool.version === 4 &&
    pool.currency0 === lower(pin.currency0) &&
    pool.currency1 === lower(pin.currency1) &&
    pool.fee === pin.fee &&
    pool.tickSpacing === pin.tick_spacing &&
    pool.hooks === lower(pin.hooks)
  )
}

/** The market's view of a profile and its venues, without tokens in `avoid` and unknown hooks. */
export function marketWorldOf(
  profile: ChainProfile,
  venues: { pools: Pool[]; curves: Curve[] },
  avoid: ReadonlySet<string>,
): MarketWorld {
  const { contracts } = profile
  const knownHooks = new Set([NATIVE, ...profile.known_hooks.map(({ address }) => lower(address))])
  const isFine = (pool: Pool) =>
    knownHooks.has(pool.hooks) && !avoid.has(lower(pool.currency0)) && !avoid.has(lower(pool.currency1))
  const assets = assetsOf(profile)
  const pin = profile.pins.partner_usdg
  return {
    assets,
    pools: venues.pools.filter(isFine),
    curves: venues.curves.filter(({ token }) => !avoid.has(lower(token))),
    partnerPool: (pin && venues.pools.find((pool) => isPin(pool, pin))) ?? null,
    contracts: {
      weth: required(contracts.weth, 'weth'),
      usdg: assets.find(({ symbol }) => symbol === 'USDG')?.token ?? NATIVE,
      permit2: lower(contracts.permit2),
      multicall3: lower(contracts.multicall3),
      universalRouter: required(contracts.universal_router, 'universal_router'),
      v4PoolManager: required(contracts.v4_pool_manager, 'v4_pool_manager'),
      v4StateView: required(contracts.v4_state_view, 'v4_state_view'),
    },
  }
}

export function registriesOf({ contracts, ...profile }: ChainProfile) {
  return {
    v2Factory: required(contracts.v2_factory, 'v2_factory'),
    v3Factory: required(contracts.v3_factory, 'v3_factory'),
    v4PoolManager: required(contracts.v4_pool_manager, 'v4_pool_manager'),
    launchpads: launchpadsIn(profile),
  }
}
