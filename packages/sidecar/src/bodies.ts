import type { TObject, TSchema } from '@sinclair/typebox'
import { Address, ClientId } from './inputs.ts'

/** The variant of a body that trades, for the account's own wallet. */
export function withoutWallet(schema: TSchema): TObject {
  const variant = tradingVariant(schema)
  const { wallet: _, ...properties } = variant.properties
  return rebuilt(
    variant,
    properties,
    (variant.required ?? []).filter((name) => name !== 'wallet'),
  )
}
export function withWallet(schema: TSchema): TObject {
  const variant = tradingVariant(schema)
  return rebuilt(variant, { ...variant.properties, wallet: Address }, [...(variant.required ?? []), 'wallet'])
}
export function withClientId(schema: TSchema): TObject {
  const object = schema as TObject
  const properties = { ...object.properties, client_id: ClientId }
  return rebuilt(object, properties, [...new Set([...(object.required ?? []), 'client_id'])])
}
const tradingVariant = (schema: TSchema): TObject =>
  ((schema['anyOf'] as TObject[] | undefined)?.[1] ?? schema) as TObject
const rebuilt = (object: TObject, properties: TObject['properties'], required: string[]): TObject => ({
  ...object,
  properties,
  required,
})
