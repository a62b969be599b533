import { type NumberOptions, type Static, type TSchema, Type } from '@sinclair/typebox'
import { TRADE } from '../numbers.ts'
import { AI_FUNDING, BRAINS, type Brain } from '../values.ts'
import { Answer, ByDefault, Exact, Flag, OneOf, type Sent, Text } from './scalars.ts'

/** Parameters of each brain. All fields of rule brains have defaults, so `{}` is valid. */

const SizeUsd = (byDefault: number, description: string) =>
  ByDefault(
    byDefault,
    Type.Number({ minimum: TRADE.minNotionalUsd, maximum: TRADE.maxNotionalUsd, description }),
  )
const Seconds = (byDefault: number, options: NumberOptions & { description: string }) =>
  ByDefault(byDefault, Type.Integer({ minimum: 60, maximum: 604_800, ...options }))
const BasisPoints = (byDefault: number, description: string, options: NumberOptions = {}) =>
  ByDefault(byDefault, Type.Integer({ minimum: 0, maximum: 10_000, description, ...options }))

export const DcaParams = Exact(
  {
    usd: SizeUsd(10, 'dollars ordered of each pair at every decision'),
    side: ByDefault('buy', OneOf(['buy', 'sell'], 'buy into the base, or sell out of it')),
    total_usd: Type.Optional(
      Type.Number({
        minimum: 1,
        maximum: 10_000_000,
        description: 'stops a pair once so much of it was ordered, filled or not; without it, it goes on',
      }),
    ),
  },
  { title: 'DcaParams' },
)

export const MomentumParams = Exact(
  {
    lookback_s: Seconds(3_600, { description: 'seconds back to compare the price with' }),
    threshold_bps: BasisPoints(50, 'buys when the price rose at least so much over the lookback'),
    exit_bps: BasisPoints(25, 'sells when it fell at least so much over the lookback'),
    usd: SizeUsd(25, 'dollars of one buy'),
    exit: ByDefault('all', OneOf(['all', 'usd'], 'amount an exit sells: the whole position, or `usd` of it')),
    cooldown_s: ByDefault(
      900,
      Type.Integer({ minimum: 0, maximum: 604_800, description: 'seconds between two buys of a pair' }),
    ),
  },
  { title: 'MomentumParams' },
)

export const MeanReversionParams = Exact(
  {
    lookback_s: Seconds(14_400, {
      description: 'window of the mean over minute marks, in seconds',
      minimum: 120,
    }),
    band_bps: BasisPoints(100, 'how far from the mean it trades; not used with `z`'),
    z: Type.Optional(
      Type.Number({
        minimum: 0.1,
        maximum: 10,
        description: 'the band in standard deviations of the marks instead of basis points',
      }),
    ),
    exit: ByDefault('band', OneOf(['band', 'mean'], 'sells above the upper band, or already at the mean')),
    usd: SizeUsd(25, 'dollars of one order'),
    min_points: ByDefault(
      30,
      Type.Integer({ minimum: 2, maximum: 10_080, description: 'marks the mean needs; holds with fewer' }),
    ),
  },
  { title: 'MeanReversionParams' },
)

const Price = (description: string) =>
  Type.Optional(Type.Number({ minimum: 1e-9, maximum: 1e9, description }))
export const GridParams = Exact(
  {
    low: Price('lowest line in dollars; for an agent of one pair, together with `high`'),
    high: Price('highest line in dollars'),
    range_bps: BasisPoints(500, 'without low and high: range of the lines below and above the first price', {
      minimum: 10,
      maximum: 9_000,
    }),
    levels: ByDefault(
      10,
      Type.Integer({ minimum: 2, maximum: 100, description: 'steps between low and high' }),
    ),
    usd: SizeUsd(10, 'dollars bought at one level'),
    start: ByDefault(
      'empty',
      OneOf(
        ['empty', 'filled'],
        'filled: buys the levels over the first price at once, to sell them as it rises',
      ),
    ),
  },
  { title: 'GridParams' },
)

export const RebalanceParams = Exact(
  {
    weights: Type.Optional(
      Type.Record(Type.String(), Type.Number({ minimum: 0, maximum: 100 }), {
        description:
          'percent of the book by base token, as the pairs name it; the rest stays in cash. Without it ' +
          'every base and the cash weigh the same',
      }),
    ),
    drift_bps: BasisPoints(500, 'trades once a token is so much of the book away from its weight', {
      minimum: 10,
    }),
  },
  { title: 'RebalanceParams' },
)

export const AiParams = Exact(
  {
    strategy: Type.Optional(Text('instructions for the model', { maxLength: 4_000 })),
    model: Type.Optional(Text('model id of hosted/ai', { maxLength: 128 })),
    funding: ByDefault(
      'pool',
      OneOf(AI_FUNDING, 'payment of the model: the service’s pool, or the owner’s key'),
    ),
    fallback_own: ByDefault(true, Flag('pay from the own key when the pool does not')),
    template: Type.Optional(Text('template id of hosted/ai', { maxLength: 64 })),
    budget_usd_day: Type.Optional(
      Type.Number({ exclusiveMinimum: 0, description: 'most spent on models a day' }),
    ),
    max_orders: Type.Optional(Type.Integer({ minimum: 1, description: 'orders in one decision' })),
  },
  { title: 'AiParams' },
)
export const WebhookParams = Exact(
  { url: Type.String({ pattern: '^https?://', maxLength: 2_048, description: 'where ticks are posted' }) },
  { title: 'WebhookParams' },
)

/** It carries out signed orders, which have separate routes. */
export const OrdersParams = Exact({}, { title: 'OrdersParams' })

/** By brain. */
export const BRAIN_PARAMS = {
  partner_llm: AiParams,
  webhook: WebhookParams,
  dca: DcaParams,
  momentum: MomentumParams,
  mean_reversion: MeanReversionParams,
  grid: GridParams,
  rebalance: RebalanceParams,
  orders: OrdersParams,
} as const satisfies { readonly [Name in Brain]: TSchema }
type Params = typeof BRAIN_PARAMS

/** A brain with what it takes, and with what it was given, defaults filled in. */
export type BrainForm<Sending extends boolean = false> = {
  [Name in Brain]: {
    brain: Name
    params: Sending extends true ? Sent<Params[Name]> : Static<Params[Name]>
  }
}[Brain]
const formsOf = <Sending extends boolean>(params: { readonly [Name in Brain]: TSchema }) =>
  BRAINS.map((brain) =>
    Answer({ brain: Type.Literal(brain), params: params[brain] }),
  ) as readonly TSchema[] as readonly (TSchema & { static: BrainForm<Sending> })[]
/** Without their names: what may be left out of a request is always there in an answer. */
const sent = Object.fromEntries(
  Object.entries(BRAIN_PARAMS).map(([brain, { title: _, ...params }]) => [brain, params]),
) as unknown as Params
export const BRAIN_FORMS = formsOf<false>(BRAIN_PARAMS)
export const SENT_BRAIN_FORMS = formsOf<true>(sent)
export const AnyBrainParams = Type.Unsafe<BrainForm<true>['params']>(Type.Union(Object.values(sent)))
