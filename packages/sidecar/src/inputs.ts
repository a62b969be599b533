import type { OrderIntent, PitClient } from '@pit/client'
import { type TProperties, type TSchema, Type } from '@sinclair/typebox'
import type { WireKey } from './names.ts'

/** Schemas of verb inputs that the API has no schema for. */

export const Input = <T extends TProperties>(properties: T) =>
  Type.Object(properties, { additionalProperties: false })
/** Fields of a parameter of the client: a field that it does not have, or one left out, does not compile. */
export const InputOf =
  <Params>() =>
  <T extends Record<WireKey<Params>, TSchema>>(
    properties: T & { [Key in Exclude<keyof T, WireKey<Params>>]: never },
  ) =>
    Input(properties as T)
export const Maybe = Type.Optional
export const List = <T extends TSchema>(one: T, maxItems = 64) => Type.Array(one, { maxItems })
export const Text = (description: string) => Type.String({ minLength: 1, maxLength: 128, description })
export const Decimal = (description: string) =>
  Type.String({ pattern: '^\\d{1,60}(\\.\\d{1,18})?$', description })
export const Hash = Type.String({ pattern: '^0x[0-9a-fA-F]{64}$', description: '32 bytes as 0x…' })
export const Address = Type.String({ pattern: '^0x[0-9a-fA-F]{40}$', description: 'an address' })
export const Whole = (minimum: number, maximum: number) => Type.Integer({ minimum, maximum })
export const Yes = (description: string) => Type.Boolean({ description })

export const ClientId = Type.String({
  pattern: '^[A-Za-z0-9._:-]{1,64}$',
  description: 'unique per intended trade; repeat it on retry',
})
export const AgentId = Text('id of the hosted agent')

const Trigger = Type.Union([
  Input({
    kind: Type.Union([Type.Literal('at_or_below'), Type.Literal('at_or_above')]),
    price_usd: Decimal('price of a whole token in USD'),
    token: Maybe(Text('core symbol or address')),
  }),
  Input({
    kind: Type.Literal('trailing'),
    trail_bps: Whole(1, 9_999),
    token: Maybe(Text('core symbol or address')),
  }),
])

const ORDER_FIELDS = {
  amount: Decimal('whole tokens to sell at most, fees included'),
  least: Maybe(Decimal('least received for all of it, after fees')),
  limit: Maybe(
    Input({
      of: Type.Union([Type.Literal('sell'), Type.Literal('buy')]),
      price: Decimal('price of one whole token in the other token'),
    }),
  ),
  max_slippage_bps: Maybe(Whole(1, 10_000)),
  trigger: Maybe(Trigger),
  slices: Maybe(Whole(1, 10_000)),
  every_s: Maybe(Whole(0, 31_536_000)),
  starts_at: Maybe(Whole(0, 4_102_444_800)),
  expires_at: Maybe(Whole(0, 4_102_444_800)),
}
export const OrderIn = InputOf<OrderIntent>()({
  sell: Text('core symbol or address'),
  buy: Text('core symbol or address'),
  ...ORDER_FIELDS,
  group: Maybe(Whole(0, 15)),
  parent: Maybe(Whole(0, 16)),
})
type Change = Parameters<PitClient['orders']['replace']>[0]['change']
export const OrderChange = Type.Partial(InputOf<Change>()(ORDER_FIELDS), { additionalProperties: false })

type ExitTerms = Parameters<PitClient['orders']['placeBracket']>[0]['exits']
export const Exits = InputOf<ExitTerms>()({
  stop_usd: Maybe(Decimal('price of the stop in USD')),
  stop_least: Maybe(Decimal('least price of the stop')),
  profit_usd: Maybe(Decimal('price of the take-profit in USD')),
  amount: Maybe(Decimal('whole tokens; all that the entry can buy by default')),
})
