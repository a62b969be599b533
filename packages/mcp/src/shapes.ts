import { type TProperties, type TSchema, Type } from '@sinclair/typebox'

/** Schemas of tools, with short texts because a model pays for every word. */
export const Input = <T extends TProperties>(properties: T) =>
  Type.Object(properties, { additionalProperties: false })
export const Output = <T extends TProperties>(properties: T) => Type.Object(properties)
export const Maybe = Type.Optional
export const OrNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])
export const Str = (description?: string) => Type.String(description ? { description } : {})
export const Num = (description?: string) => Type.Number(description ? { description } : {})
export const Int = Type.Integer
export const Bool = (description?: string) => Type.Boolean(description ? { description } : {})
export const List = Type.Array
export const Choice = <const T extends readonly string[]>(values: T, description?: string) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...(description && { description }) })

export const TokenIn = (description: string) =>
  Type.String({
    description: `${description}: a core symbol or a 0x address`,
    pattern: '^(0x[0-9a-fA-F]{40}|[A-Za-z][A-Za-z0-9]{0,15})$',
  })
export const UsdIn = Type.Number({
  description: 'size in USD',
  exclusiveMinimum: 0,
  maximum: 10_000,
})
export const IdIn = (description: string) => Type.String({ description, pattern: '^[A-Za-z0-9_.:-]{1,128}$' })
export const AddressIn = (description: string) => Type.String({ description, pattern: '^0x[0-9a-fA-F]{40}$' })
export const HashIn = Type.String({ pattern: '^0x[0-9a-fA-F]{64}$' })
export const ClientIdIn = Type.String({
  description: 'unique per intended trade or agent; repeat it on retry',
  pattern: '^[A-Za-z0-9._:-]{1,64}$',
})
export const LimitIn = (max: number, byDefault: number) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: max, default: byDefault }))

/** ISO time without fractions of a second. */
export const isoOf = (unixS: number): string => new Date(unixS * 1000).toISOString().slice(0, 19).concat('Z')
