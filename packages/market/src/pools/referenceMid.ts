import { type Address, midPrice, NATIVE, type Pool } from '@pit/chain'
import { type ChainProfile, type CoreToken, lower, type PoolPin } from '@pit/protocol'
import type { Market } from './openMarket.ts'

/** A mid is a float to compare with and to show; it never decides an amount and never values a wallet. */

export interface MidDeps {
  market: Pick<Market, 'index'>
  profile: ChainProfile
}

/** The median mid of a core asset's reference pools, in USDG for one unit; null when no pool has one. */
export function referenceMid({ market, profile }: MidDeps, token: Address): number | null {
  const usdg = profile.core_tokens.find(({ symbol }) => symbol === 'USDG')
  const asset = profile.core_tokens.find(({ address }) => lower(address) === token)
  if (!usdg || !asset) return null
  if (asset === usdg) return 1
  const mids = pinsOf(profile, asset)
    .map((pin) => pinnedPool(market, asset, usdg, pin))
    .filter((pool) => pool !== undefined)
    .map((pool) => {
      const mid = midPrice(pool)
      const usdgIsFirst = pool.token0 === lower(usdg.address)
      return (usdgIsFirst ? 1 / mid : mid) * 10 ** (asset.decimals - usdg.decimals)
    })
    .filter((mid) => Number.isFinite(mid) && mid > 0)
    .sort((a, b) => a - b)
  return mids.length === 0 ? null : mids[mids.length >> 1]!
}

/** Units of `tokenOut` for one unit of `tokenIn`, both core assets, crossed through USDG. */
export function crossMid(deps: MidDeps, tokenIn: Address, tokenOut: Address): number | null {
  const [midIn, midOut] = [referenceMid(deps, tokenIn), referenceMid(deps, tokenOut)]
  return midIn === null || midOut === null ? null : midIn / midOut
}

/** ETH and WETH are exchanged one to one, so the pools of either price both. */
function pinsOf({ pins: { reference_pools } }: ChainProfile, { symbol, address }: CoreToken): PoolPin[] {
  const own = reference_pools[symbol] ?? []
  if (own.length > 0) return own
  if (symbol === 'WETH') return reference_pools['ETH'] ?? []
  return address === NATIVE ? (reference_pools['WETH'] ?? []) : []
}

function pinnedPool(
  market: Pick<Market, 'index'>,
  asset: CoreToken,
  usdg: CoreToken,
  pin: PoolPin,
): Pool | undefined {
  if (pin.version !== 'v4') return market.index.get(lower(pin.address))
  return market.index
    .between(lower(asset.address), lower(usdg.address))
    .find(
      (pool) =>
        pool.version === 'v4' &&
        pool.token0 === lower(pin.currency0) &&
        pool.token1 === lower(pin.currency1) &&
        pool.key.fee === pin.fee &&
        pool.key.tickSpacing === pin.tick_spacing &&
        pool.key.hooks === lower(pin.hooks),
    )
}
