import { Type } from '@sinclair/typebox'
import { PATTERNS } from '../patterns.ts'
import { RISK_CODES } from '../risks.ts'
import {
  BLOCKED_REASONS,
  FEE_CLASSES,
  PROXY_KINDS,
  REFERENCE_SOURCES,
  SCREEN_STATUSES,
  SCREENS,
  TEXT_FAULTS,
  TOKEN_KINDS,
  TOKEN_POWERS,
  TOKEN_TIERS,
} from '../values.ts'
import {
  Answer,
  Bps,
  Count,
  Flag,
  Growing,
  Limit,
  MapOf,
  Nullable,
  Num,
  OneOf,
  QueryFlag,
  Text,
  TokenRef,
  UnixS,
  Usd,
  Wallet,
} from './scalars.ts'
import { slippageFields } from './server.ts'

export const Risk = Answer(
  {
    code: Growing(RISK_CODES, PATTERNS.code),
    severity: OneOf(['severe', 'info'], 'severe must be accepted in accept_risks'),
    token: Type.Optional(Nullable(Wallet('the token it is about; absent when it is about the trade'))),
    message: Text('in words'),
  },
  { title: 'Risk', description: 'one disclosure' },
)

export const Audit = Answer(
  {
    verdict: OneOf(['verified', 'unverified', 'flagged'], 'of the audit'),
    url: Nullable(Text('the verdict’s page')),
    source: Text('who gave it'),
    checked_at: UnixS('when it was read'),
  },
  { title: 'Audit', description: 'only with shield' },
)

/** `audit` with shield, `shield_available: true` without. */
export const shieldFields = {
  shield: Flag('whether shield was requested'),
  audit: Type.Optional(Nullable(Audit)),
  shield_available: Type.Optional(Type.Literal(true)),
}

const Taken = (of: string) => Type.Optional(Nullable(Bps(`loss of a ${of}, as simulated`)))
const Flags = Answer(
  {
    proxy: Type.Union([OneOf(PROXY_KINDS), Type.Literal(false)], {
      description: 'proxy type',
    }),
    implementation: Nullable(Wallet('implementation address')),
    owner: Nullable(Wallet('result of owner()')),
    mintable: Flag('its code can make more of it'),
    pausable: Flag('its code can stop transfers'),
    blacklist: Flag('its code can bar holders'),
    rebasing: Flag('balances change without a transfer'),
    owner_sets_taxes: Flag('its code can change taxes'),
    owner_limits_trading: Flag('its code can limit trading'),
    owner_takes_tokens: Flag('its code can take from holders'),
    proved: Type.Array(OneOf(TOKEN_POWERS), { description: 'powers that worked when called as its owner' }),
    paused: Nullable(Flag('result of paused(); null without such a function')),
    decimals_read: Flag('whether it reports its decimals'),
    text_faults: Type.Array(OneOf(TEXT_FAULTS), { description: 'problem of its name or symbol' }),
    first_pool_at: Nullable(UnixS('its first pool was made')),
    listed_stock: Flag('whether the issuer’s list names it; on the beacon but unlisted is an IMPERSONATOR'),
    screened_block: Count('read at'),
    screen: OneOf(SCREENS, 'result of the simulated trade; the following fields are present once it is done'),
    buy_ok: Type.Optional(Type.Literal(false, { description: 'when it could not be bought' })),
    buy_tax_bps: Taken('buyer'),
    buy_only_tax_bps: Type.Optional(Bps('the part that a plain transfer does not lose')),
    transfer_ok: Type.Optional(Flag('whether it could be passed on')),
    transfer_tax_bps: Taken('transfer'),
    sell_ok: Type.Optional(Flag('whether it could be sold')),
    sell_tax_bps: Taken('seller'),
    hook_take_bps: Type.Optional(Bps('share of the purchase that the pool’s hook kept')),
    balance_lies: Type.Optional(Flag('it reports balances that do not exist')),
    tried_in: Type.Optional(Text('the pool it was tried in')),
    why: Type.Optional(Text('why it could not be bought')),
  },
  { title: 'TokenFlags', description: 'what the screen measured' },
)
const TierLimits = Answer(
  {
    max_price_impact_bps: Bps('most price impact'),
    max_notional_usd: Usd('most for one trade'),
    min_notional_usd: Usd('least for one trade'),
    fee_class: OneOf(FEE_CLASSES),
    slippage_by_size: Type.Array(Answer({ up_to_usd: Usd('for trades up to this size'), ...slippageFields })),
    max_fee_bps: Bps('the highest fee any trade pays'),
  },
  { title: 'TierLimits', description: 'the tier’s defaults: slippage and price-impact caps' },
)

export const TokenRecord = Answer(
  {
    address: Wallet('all zero for ETH'),
    symbol: Text('deployer-chosen text: escape it'),
    name: Text('deployer-chosen text: escape it'),
    decimals: Count('decimals'),
    kind: OneOf(TOKEN_KINDS),
    stock_beacon: Nullable(
      Flag('whether the screen saw it on the stock-token beacon; this, not kind, decides the fee class'),
    ),
    tier: OneOf(TOKEN_TIERS),
    tradable: Flag('whether a route exists'),
    blocked_reason: Nullable(OneOf(BLOCKED_REASONS)),
    venues: Type.Array(
      Answer({
        venue: OneOf(['venue_pool', 'venue_curve']),
        protocol: OneOf(['v2', 'v3', 'v4', 'curve']),
        address: Nullable(Text('the pool’s or curve’s address, or the v4 pool id')),
        pair: Wallet('the token at the other side'),
        fee: Nullable(Num('pool fee, hundredths of a basis point')),
        hooks: Type.Optional(Nullable(Wallet('the v4 hook'))),
        liquidity_usd: Nullable(Usd('backing of the token')),
      }),
      { description: 'pools and curve it trades on, deepest first' },
    ),
    reference: Answer(
      {
        source: OneOf(REFERENCE_SOURCES),
        address: Type.Optional(Nullable(Text('the feed, pool or curve it is read from'))),
        price_usd: Type.Optional(Nullable(Usd('last reading'))),
        read_at: Type.Optional(Nullable(UnixS('when'))),
      },
      { description: 'the independent price' },
    ),
    liquidity_usd: Nullable(Usd('over all venues')),
    creator_tax_bps: Nullable(Bps('creator fee')),
    curve_fee_bps: Nullable(Bps('curve fee')),
    multiplier: Nullable(Num('of a stock token: shares per token')),
    flags: Flags,
    risks: Type.Array(Risk, { description: 'severe first' }),
    limits: TierLimits,
    warnings: Type.Array(Text('a plain sentence')),
    screened_at: Nullable(UnixS('when it was screened')),
    screen_status: OneOf(
      SCREEN_STATUSES,
      'how the answer was had; UNSCREENED while the simulation still runs',
    ),
    fee_bps: Bps('fee of a trade against a core asset now, including shield'),
    ...shieldFields,
  },
  { title: 'Token' },
)

export const TokenParams = Type.Object({ address: TokenRef('the token') })
export const TokenQuery = Type.Object(
  { shield: QueryFlag('adds the audit verdict') },
  { additionalProperties: false },
)

export const TokenSearchQuery = Type.Object({
  q: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'name, symbol or address prefix; a symbol finds the core asset exactly',
    }),
  ),
  tier: Type.Optional(OneOf(TOKEN_TIERS)),
  kind: Type.Optional(OneOf(TOKEN_KINDS)),
  limit: Limit(100, 20),
  shield: QueryFlag('adds audit verdicts'),
})

export const TokenSearch = Answer({
  query: Answer(
    {
      q: Text('as sent; empty if none was'),
      tier: Type.Optional(OneOf(TOKEN_TIERS)),
      kind: Type.Optional(OneOf(TOKEN_KINDS)),
      limit: Count('most answered'),
      shield: Flag('as sent'),
    },
    { description: 'the query as it was understood' },
  ),
  tokens: Type.Array(TokenRecord),
  count: Count('tokens answered'),
  warnings: Type.Array(Text('for example how many other tokens share the symbol')),
  shield: Flag('whether shield was requested'),
})

const Counts = (description: string) => MapOf(Count('tokens'), description)

export const TokenStats = Answer({
  total: Count('tokens registered'),
  tradable: Count('with a route'),
  by_tier: Counts('tokens by tier'),
  by_kind: Counts('tokens by kind'),
  by_risk: Counts('tokens by disclosure'),
  blocked_by_reason: Counts('blocked tokens by reason'),
  generated_at: UnixS('when it was counted'),
  cached_s: Num('seconds since'),
})
