import { Type } from '@sinclair/typebox'
import { APPROVAL_MODES, CURVE_FEE_MODES, HEALTH_STATUSES, MARK_SOURCES, STATS_KINDS } from '../values.ts'
import {
  Answer,
  Bps,
  Code,
  Count,
  Flag,
  MapOf,
  Nullable,
  Num,
  OneOf,
  Open,
  Policy,
  Text,
  UnixS,
  Usd,
  Wallet,
  Whole,
} from './scalars.ts'

const Pinned = (description: string) =>
  Nullable(Wallet(description), `${description}; null while unknown here`)

export const slippageFields = {
  default_bps: Bps('default'),
  cap_bps: Bps('highest accepted value'),
}
export const SlippageBySize = Type.Array(
  Answer({
    up_to_usd: Usd('for trades up to this size'),
    major: Answer(slippageFields),
    other: Answer(slippageFields),
  }),
  { description: 'default and most slippage by size and fee class' },
)

export const MajorTiers = Type.Array(
  Answer({
    min_30d_volume_usd: Usd('30-day volume from which it applies'),
    bps: Bps('the rate before shield'),
  }),
  { description: 'major rates by volume, posted rate first' },
)

export const Config = Answer(
  {
    chain_id: Type.Literal(4663),
    version: Text('the server’s own version'),
    auth: Answer({
      challenge_ttl_s: Count('300'),
      key_ttl_s: Count('2592000'),
      domain: Nullable(Text('the domain sign-in messages name')),
      require_partner_agent: Flag('whether only registry agents’ wallets and owners sign in'),
      key_prefix: Text('pit_w_'),
    }),
    universal_router: Pinned('the router plans call'),
    permit2: Wallet('the token permit contract'),
    multicall3: Wallet('the multicall contract'),
    tokens: MapOf(
      Answer({
        address: Wallet('all zero for native ETH'),
        decimals: Count('decimals'),
        kind: OneOf(['native', 'core', 'stock']),
        native: Flag('whether it is ETH itself'),
      }),
      'core tokens by symbol',
    ),
    fee: Answer({
      schedule: Type.Literal(2),
      major_symbols: Type.Array(Text('core symbol'), {
        description: 'both ends among these (or stock-beacon tokens): major',
      }),
      major_tiers: MajorTiers,
      other_bps: Bps('50'),
      shield_add_bps: Bps('10'),
      max_bps: Bps('100'),
      recipient: Pinned('recipient of all fees; clients pin it'),
      to_self_allowed: Flag(
        'whether a request may direct its fee to its own wallet; never, by FEE_RECIPIENT_NOT_ALLOWED',
      ),
      placeholder: Flag('true while no recipient is pinned; nothing is built then'),
      how: Text('the fee in words'),
    }),
    risks: MapOf(OneOf(['severe', 'info']), 'the disclosure table'),
    high_price_impact_bps: Bps('1000: lower bound of HIGH_PRICE_IMPACT'),
    price_impact_bps: Bps('300: lower bound of PRICE_IMPACT'),
    shield: Answer({
      policies: Type.Array(Policy('policy name'), { description: 'what a shield request may name' }),
      blocks: Type.Optional(MapOf(Type.Array(Code('risk code')), 'risks each policy refuses')),
      default_policies: Type.Optional(Type.Array(Text('policy name'), { description: 'when none is named' })),
      shield_only_risks: Type.Array(Code('risk code'), { description: 'disclosed only with shield' }),
    }),
    limits: Answer({
      min_notional_usd: Type.Optional(Usd('1')),
      max_notional_usd: Usd('10000'),
      max_slippage_bps: Bps('the widest cap of slippage_tolerance_by_size'),
      default_slippage_bps: Bps('when the pair has no default'),
      slippage_tolerance_by_size: SlippageBySize,
      max_vs_mid_bps: Bps('how far under the reference mid a route may land'),
      deadline_s: Count('how long a plan can be sent'),
      permit_trade_expiry_s: Count('life of a permit of scope trade'),
      approval_modes: Type.Array(OneOf(APPROVAL_MODES)),
      default_approval_budget_usd: Usd('25'),
    }),
    session: Answer({
      cosigner: Pinned('the co-signer; clients pin it'),
      delegation_manager: Wallet('the delegation manager'),
      stateless_delegator: Wallet('the code a wallet runs'),
      enforcers: MapOf(Wallet('enforcer'), 'caveat enforcers by name'),
      leaf_ttl_s: Count('120'),
    }),
    routes: Type.Optional(
      Answer({
        version: Text('version of the fast-route table'),
        sha256: Nullable(Text('values that clients pin; null if fast mode has no routes')),
      }),
    ),
    submit_enabled: Flag('whether submit relays here'),
    universe: Answer(
      {
        hops: Answer({ max_pools: Count('pools in one route'), through: Type.Array(Text('token')) }),
        known_hooks: Type.Array(
          Answer({
            address: Wallet('hook'),
            name: Text('name'),
            changes_amounts: Flag('takes part of a swap'),
          }),
        ),
        tiers: MapOf(Text('in words'), 'requirements of each tier'),
        curve_fee_modes: Type.Array(OneOf(CURVE_FEE_MODES), {
          description: 'how a launchpad curve’s fee is paid',
        }),
      },
      { description: 'how tokens by address are routed' },
    ),
  },
  { title: 'Config' },
)

export const Health = Answer(
  {
    status: OneOf(HEALTH_STATUSES, 'degraded: it answers but a dependency is impaired; down comes with 503'),
    service: Text('pit'),
    version: Text('the server’s own version'),
    checks: Type.Optional(MapOf(OneOf(['ok', 'impaired', 'unknown']), 'ours: how each dependency is')),
  },
  { title: 'Health' },
)

const Side = Nullable(
  Answer({
    venue: Text('where'),
    fee: Nullable(Whole('pool fee tier, hundredths of a basis point')),
    price: Num('USDG per unit at the reference size'),
    vs_mark_bps: Nullable(Num('negative when better for the trader')),
  }),
  'the best price at the reference size',
)

export const Stats = Answer(
  {
    status: OneOf(HEALTH_STATUSES),
    generated_at: UnixS('when it was built'),
    cached_s: Num('seconds since'),
    block: Nullable(Answer({ number: Count('latest block read'), age_s: Num('its age') })),
    prices: Nullable(
      Answer({
        block: Count('the block prices were read at'),
        age_s: Num('its age'),
        ref_size_usd: Usd('1000'),
      }),
    ),
    assets: Nullable(
      Type.Array(
        Answer({
          symbol: Text('core symbol'),
          kind: OneOf(STATS_KINDS),
          mark: Nullable(Usd('price in USDG')),
          mark_source: Nullable(OneOf(MARK_SOURCES)),
          mid: Nullable(Usd('reference pools’ mid')),
          spread_bps: Nullable(Num('between buy and sell')),
          stale: Flag('market closed or price old'),
          routes: Count('routes quoted'),
          buy: Side,
          sell: Side,
        }),
      ),
    ),
    routes: Nullable(Count('routes quoted per snapshot, all assets')),
    latency_ms: Nullable(
      Answer({
        ref_quotes: Nullable(Num('quoting every asset')),
        rpc: Nullable(Num('one RPC call')),
        sequencer: Nullable(Num('one sequencer call')),
      }),
    ),
    relay: Flag('whether submit relays'),
    fee_bps: Answer({
      major_max: Bps('25'),
      major_min: Bps('10'),
      other: Bps('50'),
      shield_add: Bps('10'),
    }),
    tokens: Nullable(Answer({ tradable: Count('tokens with a route') }), 'null while first counted'),
    ai_pool: Nullable(
      Answer({
        pool_usd: Usd('today’s pool'),
        left_usd: Usd('remaining amount'),
        owners_funded: Count('owners'),
        agents_funded: Count('agents'),
      }),
      'names no owner or agent',
    ),
  },
  { title: 'Stats' },
)

export const OpenApiDocument = Open('an OpenAPI 3.1 document')
