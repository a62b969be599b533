import { TRADE } from '@pit/protocol'
import { type NumberOptions, Type } from '@sinclair/typebox'

/** Params that several brains take. Every field has a default, so `{}` is a working agent. */
export const SizeUsd = (byDefault: number, description: string) =>
  Type.Number({
    minimum: TRADE.minNotionalUsd,
    maximum: TRADE.maxNotionalUsd,
    default: byDefault,
    description,
  })
export const Seconds = (byDefault: number, options: NumberOptions & { description: string }) =>
  Type.Integer({ minimum: 60, maximum: 604_800, default: byDefault, ...options })
export const BasisPoints = (byDefault: number, description: string, options: NumberOptions = {}) =>
  Type.Integer({ minimum: 0, maximum: 10_000, default: byDefault, description, ...options })
