import type { IncomingHttpHeaders } from 'node:http'
import type { Clock } from '@pit/platform/clock'
import { COSIGNER, fail } from '@pit/protocol'
import { CALL_HEADERS, isCallSignature } from '@pit/signer-wire'

export interface Caller {
  by: 'server' | 'operator'
  /** The call's nonce, never seen before. */
  nonce: string
}

const WINDOW_MS = COSIGNER.callWindowS * 1000
const TIME = /^[1-9][0-9]{12,14}$/
const NONCE = /^[0-9a-f]{32}$/
/** Two minutes of thousands of calls a second; only calls with a valid signature are remembered. */
const MAX_NONCES = 500_000

/**
 * Admits each call that is signed with a secret once, within a window around its time. A restart allows no
 * replay: calls from before this process started are refused, and the effect of a call is stored with its
 * nonce.
 */
export function createGate({
  secrets,
  clock,
  startedAtMs,
  maxNonces = MAX_NONCES,
}: {
  secrets: { server: string; operator: string | null }
  clock: Clock
  startedAtMs: number
  maxNonces?: number
}) {
  /** Until when each nonce would still be accepted, in order of arrival. */
  const seen = new Map<string, number>()

  function remember(nonce: string, nowMs: number): void {
    for (const [old, untilMs] of seen) {
      if (untilMs >= nowMs) break
      seen.delete(old)
    }
    if (seen.has(nonce)) fail('UNAUTHORIZED', { message: 'Duplicate request.' })
    if (seen.size >= maxNonces) fail('BUSY')
    // A call's time may be one window ahead, and the call is valid for one window after it.
    seen.set(nonce, nowMs + 2 * WINDOW_MS)
  }

  return {
    /** Throws UNAUTHORIZED; the message gives no detail to a caller without a secret. */
    admit(call: { method: string; path: string; headers: IncomingHttpHeaders; body: Uint8Array }): Caller {
      const [time, nonce, signature] = [CALL_HEADERS.time, CALL_HEADERS.nonce, CALL_HEADERS.signature].map(
        (name) => call.headers[name],
      ) as (string | undefined)[]
      if (!time || !nonce || !signature || !TIME.test(time) || !NONCE.test(nonce))
        fail('UNAUTHORIZED', UNSIGNED)
      const timeMs = Number(time)
      const signed = { ...call, timeMs, nonce }
      const isServer = isCallSignature(secrets.server, signed, signature)
      const isOperator = secrets.operator !== null && isCallSignature(secrets.operator, signed, signature)
      if (!isServer && !isOperator) fail('UNAUTHORIZED', UNSIGNED)
      const nowMs = clock.nowMs()
      if (Math.abs(nowMs - timeMs) > WINDOW_MS) {
        fail('UNAUTHORIZED', { message: `The call’s time is not within ${COSIGNER.callWindowS} s of now.` })
      }
      if (timeMs < startedAtMs) fail('UNAUTHORIZED', { message: 'The call is older than this process.' })
      remember(nonce, nowMs)
      return { by: isOperator ? 'operator' : 'server', nonce }
    },
  }
}

const UNSIGNED = { message: 'The call is not signed.' }
