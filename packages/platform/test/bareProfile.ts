export const NOWHERE = '0x0000000000000000000000000000000000000001'

/** What a chain differs by in numbers and places, as on a devnet. */
export const BARE_NUMBERS = {
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
  market_holidays: [],
}

/** Enough of a devnet profile for what needs no chain. */
export const BARE_PROFILE = {
  name: 'nowhere',
  chain_id: 4663,
  kind: 'devnet',
  rpc_url: null,
  sequencer_url: null,
  explorer_tx: '',
  first_block: 0,
  notes: [],
  sources: {},
  ...BARE_NUMBERS,
  contracts: {
    weth: null,
    permit2: NOWHERE,
    multicall3: NOWHERE,
    universal_router: null,
    universal_router_layout: '2.1.0',
    v2_factory: null,
    v2_pair_init_code_hash: null,
    v3_factory: null,
    v3_pool_init_code_hash: null,
    v3_quoter: null,
    v3_position_manager: null,
    v4_pool_manager: null,
    v4_position_manager: null,
    v4_state_view: null,
    v4_quoter: null,
    launchpad_factory: null,
  },
  stocks: { issuer: 'robinhood', beacon: null },
  agent_registry: null,
  market_holidays: [],
  delegation: { version: '1.3.0', delegation_manager: NOWHERE, stateless_delegator: NOWHERE, enforcers: {} },
  core_tokens: [],
  listed_stocks: [],
  pins: { partner_usdg: null, reference_pools: {}, fast_pools: {} },
  known_hooks: [],
  fee_recipient: null,
  treasury_buckets: { operations: null, buybacks: null, treasury: null },
  cosigner: null,
  vendors: { audit_url: null, gateway_url: null, aggregator_urls: {} },
  league: { first_season: null, platform_agent_id: null },
}
