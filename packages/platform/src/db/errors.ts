import pg from 'pg'

/** The store is unreachable, or the connection was lost: the statement may or may not have run. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError'
}

/** An int8 that a JavaScript number cannot hold exactly. */
export class UnsafeIntegerError extends RangeError {
  override readonly name = 'UnsafeIntegerError'
}

const UNIQUE_VIOLATION = '23505'
const QUERY_CANCELED = '57014'
/** Serialization failure and deadlock: a retry may succeed. */
const RUN_AGAIN = new Set(['40001', '40P01'])
/** Connection exceptions, out of resources, operator intervention (restart, shutdown). */
const UNAVAILABLE = /^(08|53|57P)/

const codeOf = (error: unknown): string | undefined => {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' ? code : undefined
}

export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  if (codeOf(error) !== UNIQUE_VIOLATION) return false
  return constraint === undefined || (error as { constraint?: string }).constraint === constraint
}

export const isStatementTimeout = (error: unknown): boolean => codeOf(error) === QUERY_CANCELED

export const mayRunAgain = (error: unknown): boolean => RUN_AGAIN.has(codeOf(error) ?? '')

/** The store is down, starting or full: the caller responds with 503; the request itself is fine. */
export const isStoreUnavailable = (error: unknown): boolean =>
  error instanceof StoreUnavailableError || UNAVAILABLE.test(codeOf(error) ?? '')

/** The driver throws plain errors for lost sockets and timeouts; wrap them so callers need not parse text. */
export function classified(error: unknown): unknown {
  if (error instanceof pg.DatabaseError || error instanceof StoreUnavailableError) return error
  if (error instanceof RangeError || error instanceof TypeError || error instanceof SyntaxError) return error
  const why = error instanceof Error ? error.message : String(error)
  return new StoreUnavailableError(`the store is unreachable: ${why}`, { cause: error })
}

export const statementTimedOut = (timeoutMs: number): Error =>
  Object.assign(new Error(`canceling statement due to statement timeout (${timeoutMs} ms)`), {
    code: QUERY_CANCELED,
  })
