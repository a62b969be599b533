import { RpcError, RpcUnreachable } from '@pit/platform/rpc'
import { isPitError, toEnvelope } from '@pit/protocol'

/** JSON-RPC's own codes, and those of EIP-1474. */
export const CODES = {
  request: -32_600,
  method: -32_601,
  params: -32_602,
  internal: -32_603,
  rejected: -32_003,
  limit: -32_005,
} as const

export type Id = string | number | null
export interface Message {
  id: Id
  method: string
  params: readonly unknown[]
}

interface Failure {
  code: number
  message: string
  data?: unknown
}
export type Answer = { jsonrpc: '2.0'; id: Id } & ({ result: unknown } | { error: Failure })

export const answerOf = (id: Id, result: unknown): Answer => ({ jsonrpc: '2.0', id, result })
export const failureOf = (id: Id, error: Failure): Answer => ({ jsonrpc: '2.0', id, error })

/** Null if it is not a valid request. */
export function messageOf(value: unknown): Message | null {
  if (typeof value !== 'object' || value === null) return null
  const { id = null, method, params = [] } = value as Partial<Record<string, unknown>>
  if (typeof method !== 'string' || !Array.isArray(params)) return null
  if (id !== null && typeof id !== 'string' && typeof id !== 'number') return null
  return { id, method, params }
}

const MAX_WORDS = 300

/** Message that a wallet shows its owner; null for an internal error, which is not shown. */
export function failureFrom(error: unknown): Failure | null {
  if (isPitError(error)) {
    const { error: data } = toEnvelope(error)
    const code = error.code === 'RATE_LIMITED' ? CODES.limit : CODES.rejected
    return { code, message: `${data.code}: ${data.message}`, data }
  }
  if (error instanceof RpcError) {
    const message = error.message.slice(0, MAX_WORDS)
    return { code: error.code, message, ...(error.data !== undefined && { data: error.data }) }
  }
  if (!(error instanceof RpcUnreachable)) return null
  if (error.why === 'busy')
    return { code: CODES.limit, message: 'Too many concurrent requests. Retry in a second.' }
  if (error.why === 'large')
    return { code: CODES.limit, message: 'The answer is over 128 KB: read it from another node.' }
  return { code: CODES.internal, message: 'The node does not answer. Retry shortly.' }
}
