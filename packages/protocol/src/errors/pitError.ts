import type { Extras } from './extras.ts'
import type { ErrorRow, ExtraName, Retry } from './row.ts'
import { ERRORS, type ErrorCode, type RefusalCode } from './table.ts'

export type RefusalDetails = {
  /** For people; the row's own sentence when absent. */
  message?: string
  /** One of the row's statuses; the route's, or the row's first, when absent. */
  status?: number
  retryAfterS?: number
} & Extras

/** A refusal with a stable code. Anything else that is thrown is a defect. */
export class PitError extends Error {
  readonly code: RefusalCode
  readonly status: number
  /** False when `status` is the row's default, which a route may override. */
  readonly statusGiven: boolean
  readonly extras: Readonly<Record<string, unknown>>
  readonly retryAfterS: number | undefined

  constructor(code: RefusalCode, { message, status, retryAfterS, ...extras }: RefusalDetails = {}) {
    const row = errorRow(code)
    super(message ?? row.message)
    this.name = 'PitError'
    this.code = code
    this.status = status ?? row.statuses[0] ?? 500
    this.statusGiven = status !== undefined
    this.extras = extras
    this.retryAfterS = retryAfterS === undefined ? row.retryAfterS : Math.max(1, Math.ceil(retryAfterS))
  }
}

/** The row of a code with its optional columns readable. */
export const errorRow = (code: ErrorCode): ErrorRow => ERRORS[code]

/** Every extra a refusal with this code may carry. */
export const extrasOf = (code: ErrorCode): ExtraName[] => {
  const { extras, fastExtras = [] } = errorRow(code)
  return [...new Set([...extras, ...fastExtras])]
}

export const refusal = (code: RefusalCode, details?: RefusalDetails): PitError => new PitError(code, details)

/** A declaration, not an arrow: only then does the compiler know that code after it is not reached. */
export function fail(code: RefusalCode, details?: RefusalDetails): never {
  throw refusal(code, details)
}

export const isPitError = (error: unknown): error is PitError => error instanceof PitError

export type ErrorEnvelope = {
  error: { code: ErrorCode; message: string; retry_after_s?: number; retry: Retry; hint: string } & {
    [extra: string]: unknown
  }
}

/** What the caller can do comes last, from the table: a refusal itself cannot say otherwise. */
export function toEnvelope(error: PitError): ErrorEnvelope {
  const { code, message, extras, retryAfterS } = error
  const { retry, hint } = errorRow(code)
  const wait = retryAfterS === undefined ? {} : { retry_after_s: retryAfterS }
  return { error: { code, message, ...extras, ...wait, retry, hint } }
}
