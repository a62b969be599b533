import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '@pit/platform/clock'
import { exchange } from '@pit/platform/http'
import { KeyError } from './sealKey.ts'
import { type AwsCredentials, signAwsRequest } from './signAwsRequest.ts'

export interface KmsDeps {
  url: string
  region: string
  clock: Clock
  /** Read again when the KMS reports them expired: another process renews temporary ones. */
  readCredentials(): AwsCredentials
  /** Timeout of one attempt. */
  timeoutMs?: number
  /** Trusted certificate authorities in PEM; the system's by default. */
  ca?: string
}

/** All attempts end within the timeout of the signer's callers. */
const TRY_MS = 1_500
const PAUSES_MS = [100, 300, 900]
const MAX_ANSWER_BYTES = 64 * 1024
/** Temporary errors; only these are retried. */
const PASSING = /^(Throttling\w*|KMSInternalException|DependencyTimeoutException|KeyUnavailableException)$/
const ENDED = /^(ExpiredToken\w*)$/

/** Calls a KMS action; a temporary failure is retried a few times. */
export function createKms({ url, region, clock, readCredentials, timeoutMs = TRY_MS, ca }: KmsDeps) {
  let credentials = readCredentials()

  async function tryOnce(action: string, input: object): Promise<Outcome> {
    const request = { url: new URL(url), service: 'kms', region, target: `TrentService.${action}` }
    const body = JSON.stringify(input)
    const headers = signAwsRequest({ ...request, body, atMs: clock.nowMs() }, credentials)
    const answer = await exchange({
      ...{ method: 'POST', url: request.url, headers, body, timeoutMs, ca },
      maxAnswerBytes: MAX_ANSWER_BYTES,
    })
    if (answer.kind !== 'answer') return { ok: false, why: answer.why, again: true }
    const value = parsed(answer.text)
    if (answer.status === 200 && value) return { ok: true, value }
    const name = typeof value?.['__type'] === 'string' ? value['__type'].replace(/^.*#/, '') : ''
    // Only the error's name: its message may contain anything.
    const errorName = /^\w{1,64}$/.test(name) ? name : 'unknown error'
    const hasEnded = ENDED.test(name)
    if (hasEnded) credentials = readCredentials()
    const again = hasEnded || PASSING.test(name) || answer.status >= 500
    return { ok: false, why: `it answered ${answer.status}, ${errorName}`, again }
  }

  /** Throws a KeyError if the KMS does not answer. */
  return async function callKms(
    action: 'Sign' | 'GetPublicKey',
    input: object,
  ): Promise<Record<string, unknown>> {
    for (let tries = 0; ; tries++) {
      const outcome = await tryOnce(action, input)
      if (outcome.ok) return outcome.value
      const pauseMs = outcome.again ? PAUSES_MS[tries] : undefined
      if (pauseMs === undefined) throw new KeyError(`the KMS did not ${WORDS[action]}: ${outcome.why}`)
      await sleep(pauseMs)
    }
  }
}

const WORDS = { Sign: 'sign', GetPublicKey: 'show the co-signer’s key' } as const

type Outcome = { ok: true; value: Record<string, unknown> } | { ok: false; why: string; again: boolean }

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
