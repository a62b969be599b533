import { type Static, Type } from '@sinclair/typebox'

/** Maximum length of a reason, of an order and of the decision. */
export const REASON_MAX_CHARS = 1_000
/** Maximum size of a webhook's state as JSON text. */
export const STATE_MAX_CHARS = 8_192

const Reason = Type.String({ maxLength: REASON_MAX_CHARS, description: 'why, in words' })

export const DecisionOrder = Type.Object(
  {
    pair: Type.String({ maxLength: 160, description: 'one of the agent’s pairs, exactly as it was sent' }),
    side: Type.Union([Type.Literal('buy'), Type.Literal('sell')], {
      description: 'buy: base for quote; sell: base into quote',
    }),
    usd: Type.Number({ description: 'dollars, 1 to limits.max_trade_usd' }),
    reason: Reason,
  },
  { additionalProperties: false },
)

/** Response of a webhook or a model. An empty list holds. */
export const DECISION_SCHEMA = Type.Object(
  {
    orders: Type.Array(DecisionOrder, { description: 'at most limits.max_orders; empty to hold' }),
    reason: Reason,
    state: Type.Optional(
      Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()], {
        description:
          'webhooks only: given back with the next delivery, at most 8,192 characters of JSON; null ' +
          'forgets it',
      }),
    ),
  },
  { additionalProperties: false, title: 'Decision' },
)
export type DecisionAnswer = Static<typeof DECISION_SCHEMA>

/**
 * The same schema for models with strict structured output: closed, all fields required, pairs as an enum.
 */
export const modelSchemaOf = (request: {
  pairs: readonly string[]
  maxTradeUsd: number
  maxOrders: number
}): Record<string, unknown> => ({
  type: 'object',
  additionalProperties: false,
  required: ['orders', 'reason'],
  properties: {
    orders: {
      type: 'array',
      maxItems: request.maxOrders,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['pair', 'side', 'usd', 'reason'],
        properties: {
          pair: { type: 'string', enum: [...request.pairs] },
          side: { type: 'string', enum: ['buy', 'sell'] },
          usd: { type: 'number', minimum: 1, maximum: request.maxTradeUsd },
          reason: { type: 'string' },
        },
      },
    },
    reason: { type: 'string' },
  },
})
