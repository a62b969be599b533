import { Type } from '@sinclair/typebox'
import { RISK_CODES } from '../risks.ts'
import { BLOCKED_REASONS, REFERENCE_SOURCES, SCREEN_STATUSES, TOKEN_KINDS, TOKEN_TIERS } from '../values.ts'
import {
  Answer,
  Bps,
  Count,
  Flag,
  Limit,
  Nullable,
  Num,
  OneOf,
  Open,
  QueryFlag,
  Text,
  TokenRef,
  UnixS,
  Usd,
  Wallet,
} from './scalars.ts'

export const Risk = Answer(
  {
    code: Text(`one of ${RISK_CODES.join(', ')}`),
    severity: OneOf(['severe', 'info'], 'severe must be accepted in accept_risks'),
    token: Type.Optional(Nullable(Wallet('the token it is about; absent when it is about the trade'))),
    message: Text('in words'),
  },
  { title: 'Risk', description: 'one disclosure' },
)

export const Audit = Answer(
  {
    verdict: Text('verified, unverified or flagged'),
    url: Nullable(Text('the verdict’s page')),
    source: Text('who gave it'),
    checked_at: UnixS('when it was read'),
  },
  { title: 'Audit', description: 'only with shield' },
)

/** `audit` with shield, `shield_available: true` without. */
export const shieldFields = {
  shield: Flag('whether shield was asked for'),
  audit: Type.Optional(Nullable(Audit)),
  shield_available: Type.Optional(Type.Literal(true)),
}

export const TokenRecord = Answer(
  {
    address: Wallet('all zero for ETH'),
    symbol: Text('deployer-chosen text: escape it'),
    name: Text('deployer-chosen text: escape it'),
    decimals: Count('decimals'),
    kind: OneOf(TOKEN_KINDS),
    stock_beacon: Nullable(
      Flag('a listed stock token seen on the stock-token beacon; this, not kind, decides the fee class'),
    ),
    tier: OneOf(TOKEN_TIERS),
    tradable: Flag('whether a route exists'),
    blocked_reason: Nullable(OneOf(BLOCKED_REASONS)),
    venues: Type.Array(
      Answer({
        venue: Text('venue_pool or venue_curve'),
        protocol: Text('v2, v3, v4 or curve'),
        address: Nullable(Text('the pool’s or curve’s address, or the v4 pool id')),
        pair: Wallet('the token at the other side'),
        fee: Nullable(Num('pool fee, hundredths of a basis point')),
        hooks: Type.Optional(Nullable(Wallet('the v4 hook'))),
        liquidity_usd: Nullable(Usd('what stands behind it')),
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
    creator_tax_bps: Nullable(Bps('what the creator takes')),
    curve_fee_bps: Nullable(Bps('what the curve takes')),
    multiplier: Nullable(Num('of a stock token: shares per token')),
    flags: Open('what the screen measured: proxy, implementation, mintable, pausable, blacklist, taxes …'),
    risks: Type.Array(Risk, { description: 'severe first' }),
    limits: Open('the tier’s defaults: slippage and price-impact caps'),
    warnings: Type.Array(Text('a plain sentence')),
    screened_at: Nullable(UnixS('when it was screened')),
    screen_status: OneOf(
      SCREEN_STATUSES,
      'how the answer was had; UNSCREENED while the simulation still runs',
    ),
    fee_bps: Bps('what a trade of it against a core asset pays now, shield included'),
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
  query: Open('what was asked, as it was read'),
  tokens: Type.Array(TokenRecord),
  count: Count('tokens answered'),
  warnings: Type.Array(Text('for example how many other tokens share the symbol')),
  shield: Flag('whether shield was asked for'),
})

const Counts = (description: string) => Type.Record(Type.String(), Count('tokens'), { description })

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
