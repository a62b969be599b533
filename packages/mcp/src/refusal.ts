import { isRefusal } from '@pit/client'
import { CLIENT_ERRORS, type ClientErrorCode, ERRORS, type ErrorCode, errorRow, RETRIES } from '@pit/protocol'
import { untrusted } from './untrusted.ts'

/** This server itself says no. */
export class ToolRefusal extends Error {
  readonly code: string
  readonly fix: string
  constructor(code: string, message: string, fix: string) {
    super(message)
    this.code = code
    this.fix = fix
  }
}

export interface ToolError {
  code: string
  message: string
  what_to_do: string
  retry_after_s?: number
  /** Words of the service, which may quote strangers. */
  untrusted_detail?: string
}

/** A refusal in words of our own table; what the service said stands beside it, marked. */
export function errorOf(error: unknown): ToolError {
  if (error instanceof ToolRefusal) return { code: error.code, message: error.message, what_to_do: error.fix }
  if (!isRefusal(error))
    return {
      code: 'FAILED',
      message: 'It failed for a reason this server did not expect.',
      what_to_do: 'Tell the person who runs it; its stderr has the details.',
    }
  const { code, message, retry, retryAfterS, hint, rule } = error
  const isOfService = Object.hasOwn(ERRORS, code)
  const isOfClient = Object.hasOwn(CLIENT_ERRORS, code)
  const row = isOfService ? errorRow(code as ErrorCode) : null
  const own = isOfClient ? CLIENT_ERRORS[code as ClientErrorCode] : null
  return {
    code: rule ? `${code}.${rule}` : code,
    message: row?.message ?? own ?? 'The service refused or could not be reached.',
    what_to_do: row?.hint ?? (error.status === undefined ? hint : undefined) ?? RETRIES[retry],
    ...(retryAfterS !== undefined && { retry_after_s: retryAfterS }),
    ...(message !== row?.message && { untrusted_detail: untrusted(message, 300) }),
  }
}
