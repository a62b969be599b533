import { Type } from '@sinclair/typebox'
import { HISTORY_RANGES } from '../values.ts'
import { ByDefault, OneOf } from './scalars.ts'

/** Stored values over time, and how far back they are read. */

export const HistoryQuery = Type.Object({
  range: ByDefault('day', OneOf(HISTORY_RANGES, 'ours: how far back `history` goes')),
})

/** Not a tuple: OpenAPI 3.1 has no `items` with a list. */
const Point = Type.Unsafe<[number, number]>(Type.Array(Type.Number(), { minItems: 2, maxItems: 2 }))

export const HistoryPoints = (description: string) => Type.Array(Point, { maxItems: 500, description })
