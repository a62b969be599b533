import type { Extras } from './extras.ts'
import type { ErrorRow, ExtraName, Retry } from './row.ts'
import { ERRORS, type ErrorCode, type RefusalCode } from './table.ts'

export type RefusalDetails = {
  /** For people; defaults to the row's message. */
  message?: string
  /** One of the row's statuses; defaults to the route's, then to the row's first. */
  status?: number
  retryAfterS?: number
  /** Instead of the row's advice: whether bytes may have left is known per refusal, not per code. */
  retry?: Retry
} & Extras

/** An error response with a stable code. Any other thrown error is a bug. */
export class PitError extends Error {
  readonly code: RefusalCode
  readonly status: number
  /** False if `status` is the row's default, which a route may override. */
  readonly statusGiven: boolean
  readonly extras: Readonly<Record<string, unknown>>
  readonly retryAfterS: number | undefined
  readonly retry: Retry

  constructor(code: RefusalCode, { message, status, retryAfterS, retry, ...extras }: RefusalDetails = {}) {
    const row = errorRow(code)
    super(message ?? row.message)
    this.name = 'PitError'
    this.code = code
    this.status = status ?? row.statuses[0] ?? 500
    this.statusGiven = status !== undefined
    this.extras = extras
    this.retry = retry ?? row.retry
    this.retryAfterS = retryAfterS === undefined ? row.retryAfterS : Math.max(1, Math.ceil(retryAfterS))
  }
}

/** The row of a code, typed with its optional columns. */
export const errorRow = (code: ErrorCode): ErrorRow => ERRORS[code]

/** All extras that an error with this code may have. */
export const extrasOf = (code: ErrorCode): ExtraName[] => {
  const { extras, fastExtras = [] } = errorRow(code)
  return [...new Set([...extras, ...fastExtras])]
}

export const refusal = (code: RefusalCode, details?: RefusalDetails): PitError => new PitError(code, details)

/** A function declaration, so that the compiler knows that code after the call is unreachable. */
export function fail(code: RefusalCode, details?: RefusalDetails): never {
  throw refusal(code, details)
}

export const isPitError = (error: unknown): error is PitError => error instanceof PitError

export type ErrorEnvelope = {
  error: { code: ErrorCode; message: string; retry_after_s?: number; retry: Retry; hint: string } & {
    [extra: string]: unknown
  }
}

/** `retry` and `hint` come last, so that extras cannot override them. */
export function toEnvelope(error: PitError): ErrorEnvelope {
  const { code, message, extras, retryAfterS, retry } = error
  const { hint } = errorRow(code)
  const wait = retryAfterS === undefined ? {} : { retry_after_s: retryAfterS }
  return { error: { code, message, ...extras, ...wait, retry, hint } }
}
