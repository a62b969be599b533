import type { ChainProfile } from '@pit/protocol'

/** Chain parameters of the devnet: the ones the service was built and tested with. */
export const DEVNET_NUMBERS: Pick<ChainProfile, 'chain' | 'limits' | 'countries'> = {
  chain: { block_time_ms: 100, settled_blocks: 20, settled_s: 60 },
  limits: {
    simulation_gas: 6_000_000,
    plan_gas: 6_000_000,
    executor_gas: 8_000_000,
    fast: {
      max_cost_wei: '200000000000000',
      max_usd: { usdg: 2_500, cross: 1_000 },
      gas_floor: {
        v3: 230_000,
        v4: 240_000,
        to_router: 40_000,
        wrap: 40_000,
        unwrap: 20_000,
        permit: 40_000,
      },
    },
  },
  countries: {
    blocked: ['CU', 'IR', 'KP', 'SY'],
    blocked_regions: ['UA-43', 'UA-40', 'UA-14', 'UA-09'],
    stock_blocked: [],
  },
}
