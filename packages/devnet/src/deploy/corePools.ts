import type { PoolPin } from '@pit/protocol'
import type { Assets } from './coreTokens.ts'
import type { Exchanges } from './exchanges.ts'
import type { Hooks } from './hooks.ts'
import { DYNAMIC_FEE, type PoolPlan, poolAddressOf, poolKeyOf, v2, v3, v4 } from './pools.ts'

export interface CorePins {
  partner_usdg: PoolPin
  reference_pools: Record<string, PoolPin[]>
  fast_pools: Record<string, PoolPin>
}

export interface CorePools {
  plans: PoolPlan[]
  partnerPool: PoolPlan & { version: 'v3' }
  pins: CorePins
}

/** Several pools per core pair, of every kind and fee, thin and deep; and which of them the profile pins. */
export function planCorePools(assets: Assets, exchanges: Exchanges, hooks: Hooks): CorePools {
  const { ETH, WETH, USDG, cbBTC, PARTNER, NVDA, SPY, AAPL, TSLA, MSFT, GOOGL, AMZN } = assets
  const pinned = {
    eth: v4(ETH, USDG, 500, 3_000_000n, 'layered'),
    weth: v3(WETH, USDG, 500, 4_000_000n, 'layered'),
    wethV2: v2(WETH, USDG, 2_000_000n),
    btc: v3(cbBTC, USDG, 500, 2_000_000n, 'layered'),
    partner: v3(PARTNER, USDG, 3000, 1_500_000n, 'peaked') as PoolPlan & { version: 'v3' },
    nvda: v3(NVDA, USDG, 500, 1_500_000n, 'layered'),
    ethNvda: v4(ETH, NVDA, 3000, 600_000n),
    spy: v3(SPY, USDG, 500, 1_500_000n, 'layered'),
    ethSpy: v4(ETH, SPY, 3000, 600_000n),
  }
  const plans = [
    ...Object.values(pinned),
    v3(WETH, USDG, 100, 150_000n),
    v3(WETH, USDG, 3000, 1_000_000n, 'layered'),
    v3(WETH, USDG, 10000, 40_000n, 'full'),
    v4(ETH, USDG, 100, 100_000n),
    v4(ETH, USDG, 3000, 900_000n, 'layered'),
    v4(ETH, USDG, 10000, 25_000n, 'full'),
    v4(WETH, USDG, 3000, 60_000n, 'full'),
    v4(ETH, USDG, 3000, 700_000n, 'peaked', { hooks: hooks.counting }),
    v4(ETH, USDG, DYNAMIC_FEE, 500_000n, 'peaked', { hooks: hooks.dynamicFee }),
    v2(WETH, cbBTC, 500_000n),
    v3(WETH, cbBTC, 500, 1_200_000n, 'layered'),
    v3(WETH, cbBTC, 3000, 300_000n),
    v4(ETH, cbBTC, 3000, 600_000n),
    v4(ETH, cbBTC, 500, 80_000n, 'narrow'),
    v3(cbBTC, USDG, 3000, 200_000n),
    v4(cbBTC, USDG, 3000, 400_000n, 'layered'),
    v2(PARTNER, USDG, 120_000n),
    v3(PARTNER, WETH, 10000, 400_000n),
    v4(ETH, PARTNER, 3000, 500_000n),
    v4(PARTNER, USDG, 10000, 30_000n, 'full', { hooks: hooks.counting }),
    v2(NVDA, USDG, 50_000n),
    v3(NVDA, USDG, 3000, 200_000n),
    v4(NVDA, USDG, 500, 400_000n, 'layered'),
    v3(NVDA, WETH, 3000, 150_000n),
    v2(SPY, USDG, 50_000n),
    v3(SPY, USDG, 3000, 200_000n),
    v4(SPY, USDG, 500, 400_000n, 'layered'),
    v3(SPY, WETH, 3000, 150_000n),
    v3(AAPL, USDG, 3000, 400_000n),
    v4(AAPL, USDG, 500, 150_000n),
    v3(TSLA, USDG, 3000, 400_000n),
    v4(ETH, TSLA, 3000, 150_000n),
    v3(MSFT, USDG, 3000, 400_000n),
    v4(MSFT, USDG, 3000, 100_000n),
    v4(GOOGL, USDG, 3000, 300_000n),
    v4(AMZN, USDG, 3000, 300_000n),
  ]
  const pin = (plan: PoolPlan) => pinOf(exchanges, plan)
  return {
    plans,
    partnerPool: pinned.partner,
    pins: {
      partner_usdg: pin(pinned.partner),
      reference_pools: {
        ETH: [pin(pinned.eth), pin(pinned.weth), pin(pinned.wethV2)],
        WETH: [pin(pinned.weth), pin(pinned.eth), pin(pinned.wethV2)],
        cbBTC: [pin(pinned.btc)],
        PARTNER: [pin(pinned.partner)],
        NVDA: [pin(pinned.nvda)],
        SPY: [pin(pinned.spy)],
      },
      fast_pools: bothWays({
        'ETH/USDG': pin(pinned.eth),
        'WETH/USDG': pin(pinned.weth),
        'NVDA/USDG': pin(pinned.nvda),
        'SPY/USDG': pin(pinned.spy),
        'ETH/NVDA': pin(pinned.ethNvda),
        'ETH/SPY': pin(pinned.ethSpy),
      }),
    },
  }
}

function bothWays(pins: Record<string, PoolPin>): Record<string, PoolPin> {
  return Object.fromEntries(
    Object.entries(pins).flatMap(([pair, pin]) => [
      [pair, pin],
      [pair.split('/').reverse().join('/'), pin],
    ]),
  )
}

function pinOf(exchanges: Exchanges, plan: PoolPlan): PoolPin {
  if (plan.version === 'v2') return { version: 'v2', address: poolAddressOf(exchanges, plan) }
  if (plan.version === 'v3') return { version: 'v3', address: poolAddressOf(exchanges, plan), fee: plan.fee }
  const { tickSpacing, ...key } = poolKeyOf(plan)
  return { version: 'v4', ...key, tick_spacing: tickSpacing }
}
