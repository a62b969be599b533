import { type Static, Type } from '@sinclair/typebox'
import { PATTERNS } from './patterns.ts'
import { ChainNumbers, Countries, Limits } from './profileNumbers.ts'

/**
 * A chain profile: every address, feed and pin of one deployment, as data. The devnet writes one; `profiles/`
 * holds the real chain's. A value that is not publicly known is null there and the features that need it stay
 * off.
 */

export const Address = Type.String({ pattern: PATTERNS.address })
export const Hash32 = Type.String({ pattern: '^0x[0-9a-fA-F]{64}$' })
const Nullable = <T extends ReturnType<typeof Type.String>>(schema: T) => Type.Union([schema, Type.Null()])

/** A Chainlink-shaped feed: `token` in dollars. Stale once older than its heartbeat. */
const Feed = Type.Object({
  address: Address,
  decimals: Type.Integer(),
  heartbeat_s: Type.Integer(),
  /** A move of this many basis points is published at once; a smaller one waits for the heartbeat. */
  deviation_bps: Type.Integer({ minimum: 0, maximum: 10_000 }),
  /** Stock feeds stop outside the stock session. */
  session: Type.Union([Type.Literal('always'), Type.Literal('stock')]),
})

const CoreToken = Type.Object({
  symbol: Type.String(),
  name: Type.String(),
  /** Native ETH is the all-zero address. */
  address: Address,
  decimals: Type.Integer(),
  kind: Type.Union([Type.Literal('native'), Type.Literal('core'), Type.Literal('stock')]),
  native: Type.Boolean(),
  feed: Type.Union([Feed, Type.Null()]),
})

/** Supported launchpads, each with an adapter in `@pit/chain`. */
export const LAUNCHPAD_KINDS = ['pit', 'pons'] as const
export type LaunchpadKind = (typeof LAUNCHPAD_KINDS)[number]

const Launchpad = Type.Object({
  kind: Type.Union(LAUNCHPAD_KINDS.map((kind) => Type.Literal(kind))),
  /** Its logs and view functions identify its curves. */
  factory: Address,
})

const MarketHoliday = Type.Object({
  date: Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' }),
  /** Closing time of a half day; without it the market is closed all day. */
  closes: Type.Optional(Type.String({ pattern: '^([01]\\d|2[0-3]):[0-5]\\d$' })),
})

const PoolPin = Type.Union([
  Type.Object({ version: Type.Literal('v2'), address: Address }),
  Type.Object({ version: Type.Literal('v3'), address: Address, fee: Type.Integer() }),
  Type.Object({
    version: Type.Literal('v4'),
    currency0: Address,
    currency1: Address,
    fee: Type.Integer(),
    tick_spacing: Type.Integer(),
    hooks: Address,
  }),
])

/** An outside vendor; docs/reference/vendors.md lists the kinds. */
const Vendor = Type.Object({
  kind: Type.String(),
  url: Type.String(),
  /** Request limit of this account per minute. Absent: the vendor's public limit. */
  per_minute: Type.Optional(Type.Integer({ minimum: 1 })),
})

/** A model gateway: where it reports the cost of a call, and prices of models it does not list. */
const Gateway = Type.Object({
  url: Type.String(),
  cost: Type.Object({
    /** Whether `usage.cost` is the cost of a call in dollars. */
    usage: Type.Boolean(),
    /** The response header with the cost in dollars. */
    header: Nullable(Type.String({ pattern: '^[a-z0-9-]{1,64}$' })),
  }),
  /** Unit of `pricing.input` and `pricing.output` in its list. */
  priced_per: Type.Union([Type.Literal('million_tokens'), Type.Literal('token')]),
  /** Dollars per million tokens of models that it lists without a price. */
  models: Type.Record(
    Type.String(),
    Type.Object({
      input_usd: Type.Number({ minimum: 0 }),
      output_usd: Type.Number({ minimum: 0 }),
      /** Whether it supports a JSON schema for responses. */
      structured: Type.Boolean(),
    }),
  ),
})

export const ChainProfile = Type.Object({
  name: Type.String(),
  chain_id: Type.Literal(4663),
  /** devnet: state may be reset; loopback webhooks and the embedded store are allowed. */
  kind: Type.Union([Type.Literal('devnet'), Type.Literal('mainnet')]),
  /** In order of preference; public nodes of a real chain are slow and lack old state. */
  rpc_urls: Type.Array(Type.String()),
  /** WebSocket for new blocks. Null: tries the first of `rpc_urls`. */
  ws_url: Nullable(Type.String()),
  /** Accepts eth_sendRawTransaction only. */
  sequencer_url: Nullable(Type.String()),
  explorer_tx: Type.String(),
  /** Earlier blocks have no relevant logs. */
  first_block: Type.Integer(),
  /** Unverified or unknown values of this profile, in sentences. */
  notes: Type.Array(Type.String()),
  /** Source and certainty of values by field path; for null values, the features that are off. */
  sources: Type.Record(Type.String(), Type.String()),
  chain: ChainNumbers,
  limits: Limits,
  countries: Countries,
  contracts: Type.Object({
    weth: Nullable(Address),
    permit2: Address,
    multicall3: Address,
    universal_router: Nullable(Address),
    /** The router's release: the command layout changed in 2.1.1. */
    universal_router_layout: Type.Union([
      Type.Literal('2.1.0'),
      Type.Literal('2.1.1'),
      Type.Literal('2.1.2'),
    ]),
    v2_factory: Nullable(Address),
    v2_pair_init_code_hash: Nullable(Hash32),
    v3_factory: Nullable(Address),
    v3_pool_init_code_hash: Nullable(Hash32),
    v3_quoter: Nullable(Address),
    v3_position_manager: Nullable(Address),
    v4_pool_manager: Nullable(Address),
    v4_position_manager: Nullable(Address),
    v4_state_view: Nullable(Address),
    v4_quoter: Nullable(Address),
  }),
  launchpads: Type.Array(Launchpad),
  /** The issuer of stock tokens, and its beacon, which also has the list of blocked addresses. */
  stocks: Type.Object({ issuer: Type.Literal('robinhood'), beacon: Nullable(Address) }),
  /** The agent registry; null: no wallet counts as an agent. */
  agent_registry: Type.Union([
    Type.Object({ kind: Type.Union([Type.Literal('pit'), Type.Literal('erc8004')]), address: Address }),
    Type.Null(),
  ]),
  /** Days on which the US market is closed, or closes early; New York time. */
  market_holidays: Type.Array(MarketHoliday),
  delegation: Type.Object({
    version: Type.Literal('1.3.0'),
    delegation_manager: Address,
    stateless_delegator: Address,
    enforcers: Type.Record(Type.String(), Address),
  }),
  /** In fee-rank order: ETH, WETH, USDG, then the rest. */
  core_tokens: Type.Array(CoreToken),
  /** Stock tokens that are not core but listed (portfolio reads them). */
  listed_stocks: Type.Array(
    Type.Object({
      symbol: Type.String(),
      address: Address,
      decimals: Type.Integer(),
      feed: Type.Union([Feed, Type.Null()]),
    }),
  ),
  pins: Type.Object({
    /** The pool whose 30-minute TWAP is PARTNER's mark. */
    partner_usdg: Type.Union([PoolPin, Type.Null()]),
    /** Reference pools for mids, by core symbol against USDG. */
    reference_pools: Type.Record(Type.String(), Type.Array(PoolPin)),
    /** Pools fast mode may use, by `IN/OUT`. */
    fast_pools: Type.Record(Type.String(), PoolPin),
  }),
  /** v4 hooks whose code was read: safe to route through, and whether they change amounts. */
  known_hooks: Type.Array(
    Type.Object({ address: Address, name: Type.String(), changes_amounts: Type.Boolean() }),
  ),
  fee_recipient: Nullable(Address),
  treasury_buckets: Type.Object({
    operations: Nullable(Address),
    buybacks: Nullable(Address),
    treasury: Nullable(Address),
  }),
  cosigner: Nullable(Address),
  /** Keys are settings, never here. */
  vendors: Type.Object({
    audit: Type.Union([Vendor, Type.Null()]),
    gateway: Type.Union([Gateway, Type.Null()]),
    /** By the contract's names, `aggregator_1` to `aggregator_3`. */
    aggregators: Type.Record(Type.String(), Vendor),
  }),
  league: Type.Object({
    /** ISO date of a Monday, 00:00 UTC. */
    first_season: Nullable(Type.String()),
    platform_agent_id: Nullable(Type.String()),
  }),
})
export type ChainProfile = Static<typeof ChainProfile>
export type CoreToken = ChainProfile['core_tokens'][number]
/** The registry whose vault holds stakes; null if agents are registered without one. */
export const stakingRegistryOf = ({ agent_registry }: Pick<ChainProfile, 'agent_registry'>): string | null =>
  agent_registry?.kind === 'pit' ? agent_registry.address : null

export type MarketHoliday = Static<typeof MarketHoliday>
export type Feed = Static<typeof Feed>
export type PoolPin = Static<typeof PoolPin>
export type VendorProfile = Static<typeof Vendor>
export type GatewayProfile = Static<typeof Gateway>
