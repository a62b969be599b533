import { isRefusal } from '@pit/client'
import { CLIENT_ERRORS, type ClientErrorCode, ERRORS, type ErrorCode, errorRow } from '@pit/protocol'
import { adviceOf } from './advice.ts'
import { MCP_ERRORS, type ToolErrorCode } from './errors.ts'
import { untrusted } from './untrusted.ts'

/** This server itself says no. */
export class ToolRefusal extends Error {
  readonly code: ToolErrorCode
  readonly fix: string
  constructor(code: ToolErrorCode, message: string, fix: string) {
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
  /** Roots of a session that can still be used on chain. */
  live_roots?: string[]
  /** Words of the service, which may quote strangers. */
  untrusted_detail?: string
}

/** Refusals of the client about the owner's own sessions, approvals and records. */
const OWNER_REFUSALS: Readonly<Record<string, string>> = {
  REVOCATION_INCOMPLETE: 'The session is not proven to be over: a root is alive, or the co-signer is silent.',
  APPROVALS_LEFT: 'Allowances are left after the transactions were mined.',
  NOT_RUNNABLE: 'A transaction would fail on the own node, so it was not signed.',
  RECORD_DAMAGED: 'A local record cannot be read.',
}
const HASH = /^0x[0-9a-f]{64}$/

/** A refusal in words of our own table; what the service said stands beside it, marked. */
export function errorOf(error: unknown): ToolError {
  if (error instanceof ToolRefusal) return { code: error.code, message: error.message, what_to_do: error.fix }
  if (!isRefusal(error)) return { code: 'FAILED', ...MCP_ERRORS.FAILED }
  const { code, message, retryAfterS, hint, rule } = error
  const isOfService = Object.hasOwn(ERRORS, code)
  const isOfClient = Object.hasOwn(CLIENT_ERRORS, code)
  const row = isOfService ? errorRow(code as ErrorCode) : null
  const own = isOfClient ? CLIENT_ERRORS[code as ClientErrorCode] : null
  const roots: unknown = error.details['live_roots']
  const live = Array.isArray(roots) ? roots.filter((one) => HASH.test(String(one))).map(String) : []
  return {
    code: rule ? `${code}.${rule}` : code,
    message: row?.message ?? own ?? OWNER_REFUSALS[code] ?? 'The service refused or could not be reached.',
    what_to_do:
      adviceOf(rule ?? code) ??
      row?.hint ??
      (error.status === undefined ? hint : undefined) ??
      'Tell the person who runs this server; it does not know this code.',
    ...(retryAfterS !== undefined && { retry_after_s: retryAfterS }),
    ...(live.length > 0 && { live_roots: live }),
    ...(message !== row?.message && { untrusted_detail: untrusted(message, 300) }),
  }
}
