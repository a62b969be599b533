import { type Address, type Crypto, type Hex, poolIdOf } from '@pit/chain'
import type { ChainProfile, PoolPin } from '@pit/protocol'

const lower = (address: string) => address.toLowerCase() as Address

/** Ids of the pools the profile vouches for. */
export function pinnedPools(crypto: Crypto, { pins }: Pick<ChainProfile, 'pins'>): Hex[] {
  const { partner_usdg, reference_pools, fast_pools } = pins
  const all = [
    ...(partner_usdg ? [partner_usdg] : []),
    ...Object.values(reference_pools).flat(),
    ...Object.values(fast_pools),
  ]
  return [...new Set(all.map((pin) => idOf(crypto, pin)))]
}

function idOf(crypto: Crypto, pin: PoolPin): Hex {
  if (pin.version !== 'v4') return lower(pin.address)
  const { fee, tick_spacing: tickSpacing } = pin
  const [currency0, currency1, hooks] = [pin.currency0, pin.currency1, pin.hooks].map(lower) as [
    Address,
    Address,
    Address,
  ]
  return poolIdOf(crypto, { currency0, currency1, fee, tickSpacing, hooks })
}
