import type { Sql } from '@pit/platform/db'
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import type { OperatorDeps } from './types.ts'

export const TxHash = Type.String({ pattern: '^0x[0-9a-fA-F]{64}$' })
export const Exact = <T extends Record<string, TSchema>>(fields: T) =>
  Type.Object(fields, { additionalProperties: false })

interface Context {
  deps: OperatorDeps
  operator: string
  reason: string | null
  /** Records the action, in its own transaction. */
  note(sql: Sql, details: Record<string, unknown>): Promise<void>
}

/** One operator action. */
export interface Action<T extends TSchema = TSchema> {
  input: T
  /** Hint shown if the reason is missing; null if none is required. */
  needsReason: string | null
  run(context: Context, input: Static<T>): Promise<unknown>
}
export const action = <T extends TSchema>(row: Action<T>): Action => row as unknown as Action
