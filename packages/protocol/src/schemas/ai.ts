import { Type } from '@sinclair/typebox'
import { AI_FUNDING, COST_SOURCES, SPEND_STATUSES } from '../values.ts'
import {
  Answer,
  Before,
  Code,
  Count,
  Exact,
  Flag,
  Id,
  Limit,
  ModelId,
  Nullable,
  Num,
  OneOf,
  Text,
  UnixS,
  Usd,
} from './scalars.ts'

const OwnFunding = Answer({
  available: Flag('whether own keys can be connected here'),
  connected: Flag('whether one is'),
  sub_hint: Nullable(Text('the end of the connected key')),
  connected_at: Nullable(UnixS('since when')),
  today_usd: Usd('spent today'),
})
const PoolFunding = Answer({
  available: Flag('whether the pool pays now'),
  pool_state: OneOf(['open', 'spent', 'off']),
  pool_usd: Usd('today’s pool'),
  pool_left_usd: Usd('left of it'),
  basis: Text('how the pool is filled'),
  owners_funded: Count('owners'),
  agents_funded: Count('agents'),
  models: Type.Array(Text('models the pool pays')),
  min_interval_s: Count('900: ticks the pool pays'),
  owner_share_max_usd: Usd('most for one owner a day'),
  live_share_usd: Usd('an owner with a live agent'),
  trial_share_usd: Usd('an owner on trial'),
  trial_days: Count('length of the trial'),
  trial_until: Nullable(UnixS('end of this owner’s trial')),
  trial_open: Flag('whether trials start now'),
  today_usd: Usd('spent today by this owner'),
})

export const AiOverview = Answer({
  enabled: Flag('false when the server cannot call a model'),
  min_interval_s: Count('300'),
  max_orders: Count('most orders in one decision'),
  strategy_max: Count('longest strategy, characters'),
  budget_default_usd: Usd('default day budget'),
  budget_max_usd: Usd('highest day budget'),
  templates: Type.Array(
    Answer({
      id: Text('template'),
      title: Text('title'),
      interval_s: Count('its tick'),
      strategy: Text('its text'),
    }),
  ),
  models: Type.Array(
    Answer({
      id: Text('model'),
      price: Answer({
        input: Usd('per million tokens'),
        output: Usd('per million tokens'),
        structured: Flag('answers to a JSON schema'),
        source: Text('source of the price'),
      }),
      available: Flag('can be called now'),
      estimate: Nullable(
        Answer({
          prompt_tokens: Count('of a usual tick'),
          completion_tokens: Count('of a usual tick'),
          max_completion_tokens: Count('most a tick may use'),
          interval_s: Count('between ticks'),
          tick_usd: Usd('a usual tick'),
          day_usd: Usd('a day of them'),
        }),
        'cost of a tick and of a day',
      ),
    }),
  ),
  app_fee_pct: Num('the service’s markup on a model’s price'),
  funding: Answer(
    { own: OwnFunding, pool: PoolFunding },
    { description: 'keyed by the agent’s funding param' },
  ),
})

export const AiToday = Answer(
  {
    usd: Usd('spent'),
    calls: Count('calls'),
    by_source: Answer({ pool: Type.Optional(Usd('spent')), own: Type.Optional(Usd('spent')) }),
    prompt_tokens: Count('in'),
    completion_tokens: Count('out'),
  },
  { title: 'AiToday', description: 'spent since 00:00 UTC' },
)
export const SpendQuery = Exact({ limit: Limit(200, 50), before: Before('rows') })
export const SpendRow = Answer(
  {
    id: Count('row id'),
    ts: UnixS('when'),
    source: OneOf(AI_FUNDING, 'who paid'),
    model: Nullable(ModelId('model')),
    status: OneOf(SPEND_STATUSES),
    code: Nullable(Code('hold or error code')),
    prompt_tokens: Nullable(Count('tokens in')),
    completion_tokens: Nullable(Count('tokens out')),
    cost_usd: Usd('cost'),
    cost_source: Nullable(OneOf(COST_SOURCES, 'bound: the worst case was counted')),
    ms: Nullable(Num('how long it took')),
  },
  { title: 'SpendRow' },
)
export const Spend = Answer({
  id: Id('agent'),
  ai: Answer({
    model: ModelId('model'),
    funding: OneOf(AI_FUNDING),
    fallback_own: Flag('own key when the pool does not pay'),
    budget_usd_day: Usd('day budget'),
    budget_left_usd: Usd('left of it'),
    today: AiToday,
    last: Nullable(SpendRow),
    pool: Nullable(
      Answer({
        eligible: Flag('whether the pool pays this agent'),
        kind: Nullable(OneOf(['live', 'trial'])),
        why_not: Nullable(Code('hold code')),
        share_usd: Usd('this owner’s share'),
        owner_used_usd: Usd('used of it'),
        share_left_usd: Usd('left of it'),
        pool_usd: Usd('today’s pool'),
        pool_left_usd: Usd('left of it'),
      }),
    ),
  }),
  rows: Type.Array(SpendRow, { description: 'newest first' }),
  next_before: Nullable(Count('page on with before')),
})

export const AiConnect = Exact({
  api_key: Type.String({
    minLength: 8,
    maxLength: 512,
    description: 'the owner’s own key at the AI gateway',
  }),
})
export const AiConnection = Answer({
  connected: Flag('whether a key is connected'),
  sub_hint: Nullable(Text('the end of the connected key')),
  connected_at: Nullable(UnixS('since when')),
  detached_agents: Type.Array(Id('a live agent whose session this change detached')),
})
