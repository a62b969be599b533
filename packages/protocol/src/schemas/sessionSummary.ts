import { Type } from '@sinclair/typebox'
import { SESSION_STATUSES } from '../values.ts'
import { ControlsOut, ListedControls } from './controls.ts'
import {
  Answer,
  Code,
  Count,
  Flag,
  Id,
  Nullable,
  OneOf,
  Policy,
  TokenName,
  UnixS,
  Usd,
  Wallet,
} from './scalars.ts'

export const RiskTerms = Answer(
  {
    accept_risks: Type.Array(Code('risk code')),
    shield: Flag('whether every trade asks the audit'),
    policies: Type.Optional(Type.Array(Policy('policy name'))),
  },
  { title: 'RiskTerms', description: 'bound in the root: no trade can widen them' },
)
export const SessionLimits = Answer(
  {
    max_trade_usd: Usd('most for one trade'),
    max_day_usd: Usd('most in any 24 hours'),
    max_trades: Count('trades in all'),
  },
  { title: 'SessionLimits' },
)

export const BoundControls = Nullable(
  ControlsOut,
  'limits that the co-signer enforces besides; null without any',
)

export const spendFields = {
  trades: Count('co-signed'),
  trades_left: Count('left'),
  last_24h_usd: Usd('co-signed in the last 24 hours'),
  remaining_24h_usd: Usd('left of the day cap'),
}
export const SessionSummary = Answer(
  {
    session_id: Id('session'),
    status: OneOf(SESSION_STATUSES),
    executor: Wallet('executor'),
    created: UnixS('granted'),
    expires: UnixS('ends'),
    tokens: Type.Array(TokenName('symbol or address')),
    limits: SessionLimits,
    controls: Nullable(ListedControls, 'limits that the co-signer enforces besides; null without any'),
    used: Answer(spendFields),
    risk_terms: RiskTerms,
    wallet: Wallet('owner of the traded funds'),
    role: OneOf(['owner', 'executor'], 'owner in `sessions`, executor in `as_executor`'),
  },
  { title: 'SessionSummary' },
)
