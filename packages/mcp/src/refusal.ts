import { isRefusal } from '@pit/client'
import {
  CLIENT_ERRORS,
  type ClientErrorCode,
  ERRORS,
  type ErrorCode,
  errorRow,
  visibleText,
} from '@pit/protocol'
import { adviceOf } from './advice.ts'
import { MCP_ERRORS, type ToolErrorCode } from './errors.ts'

/** A refusal of this MCP server itself. */
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
  /** Session roots that can still be redeemed on chain. */
  live_roots?: string[]
  /** Text from the service, which may quote third parties. */
  untrusted_detail?: string
}

/** Client errors about the owner's sessions, approvals and records. */
const OWNER_REFUSALS: Readonly<Record<string, string>> = {
  REVOCATION_INCOMPLETE:
    'The session may still be usable: a root is not revoked, or the co-signer did not respond.',
  APPROVALS_LEFT: 'Some allowances remain after the revoking transactions were mined.',
  NOT_RUNNABLE: 'A transaction would fail on this server’s own node, so it was not signed.',
  RECORD_DAMAGED: 'A local record cannot be read.',
  RECEIPT_MISSING: 'The co-signer has not confirmed it, so the orders may or may not have changed.',
  BAD_ORDER: 'The order is not valid. Nothing was signed.',
  SESSION_NEEDED: 'The agent has no session with controls that was signed on this machine.',
}
const HASH = /^0x[0-9a-f]{64}$/

/** An error with texts from our own table; the service's text is added as `untrusted_detail`. */
export function errorOf(error: unknown): ToolError {
  if (error instanceof ToolRefusal) return { code: error.code, message: error.message, what_to_do: error.fix }
  if (!isRefusal(error)) return { code: 'FAILED', ...MCP_ERRORS.FAILED }
  const { code, message, retryAfterS, hint, rule, server } = error
  const said = server?.message ?? (server === null ? message : null)
  const isOfService = Object.hasOwn(ERRORS, code)
  const isOfClient = Object.hasOwn(CLIENT_ERRORS, code)
  const row = isOfService ? errorRow(code as ErrorCode) : null
  const own = isOfClient ? `${CLIENT_ERRORS[code as ClientErrorCode]}.` : null
  const roots: unknown = error.details['live_roots']
  const live = Array.isArray(roots) ? roots.filter((one) => HASH.test(String(one))).map(String) : []
  return {
    code: rule ? `${code}.${rule}` : code,
    message: row?.message ?? own ?? OWNER_REFUSALS[code] ?? 'The service refused or could not be reached.',
    what_to_do:
      adviceOf(rule ?? code) ??
      row?.hint ??
      (server === null ? hint : undefined) ??
      'Report this code to the operator of this server, which does not know it.',
    ...(retryAfterS !== undefined && { retry_after_s: retryAfterS }),
    ...(live.length > 0 && { live_roots: live }),
    ...(said !== null && said !== row?.message && { untrusted_detail: visibleText(said, 300) }),
  }
}
