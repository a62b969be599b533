import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { createCache } from '@pit/platform/cache'
import { type Clock, nowS } from '@pit/platform/clock'
import { ExchangeFailed, exchangeOrThrow, type HttpAnswer } from '@pit/platform/exchange'
import type { Logger } from '@pit/platform/logger'
import { type Answer, CHAIN_ID, fail } from '@pit/protocol'

export type Audit = NonNullable<Answer<'tokens.get'>['audit']>
export type Audited = Audit & { verdict: Verdict }
export type Verdict = 'verified' | 'unverified' | 'flagged'

export interface AuditReader {
  /** A token's verdict, at most 5 minutes old. Refuses AUDIT_UNAVAILABLE: silence is no good verdict. */
  read(token: string): Promise<Audited>
  /** Whether the provider answers; throws in words when not. Null where there is none. */
  check: (() => Promise<void>) | null
}

const TIMEOUT_MS = 2_000
const MAX_ANSWER_BYTES = 65_536
const CACHE_MS = 300_000
const MAX_CACHED = 20_000
const MAX_URL_CHARS = 512
/** How long an answer, or the lack of one, says how the provider is. */
const CHECK_EVERY_MS = 10_000
/** The provider's verdicts in our words. */
const VERDICTS: Record<string, Verdict> = { verified: 'verified', flagged: 'flagged', unknown: 'unverified' }

export function createAuditReader({
  url,
  clock,
  logger,
  probe,
  timeoutMs = TIMEOUT_MS,
}: {
  url: string | null
  /** A token to ask about when nobody else asks. */
  probe: string | null
  clock: Clock
  logger: Pick<Logger, 'warn'>
  timeoutMs?: number
}): AuditReader {
  const cache = createCache<string, Audited>({ max: MAX_CACHED, ttlMs: CACHE_MS, clock })
  const agent = new (url?.startsWith('https:') ? HttpsAgent : HttpAgent)({ keepAlive: true })

  async function get(path: string): Promise<HttpAnswer> {
    const ask = { method: 'GET', agent, timeoutMs, maxAnswerBytes: MAX_ANSWER_BYTES } as const
    const asked = { ...ask, url: new URL(`${url}/${path}`) }
    return exchangeOrThrow(asked).catch((error) => {
      // The provider may have closed a kept connection just then.
      if (error instanceof ExchangeFailed && error.onStaleConnection) return exchangeOrThrow(asked)
      throw error
    })
  }

  let last: { atMs: number; failed: Error | null } | null = null
  async function verdictOf(token: string): Promise<Audited> {
    try {
      const { status, text } = await get(`tokens/${CHAIN_ID}/${token}`)
      if (status !== 200) throw new Error(`it answered ${status}`)
      const verdict = readVerdict(JSON.parse(text), token, nowS(clock))
      last = { atMs: clock.nowMs(), failed: null }
      return verdict
    } catch (error) {
      last = { atMs: clock.nowMs(), failed: error as Error }
      throw error
    }
  }

  const ask = (token: string): Promise<Audited> =>
    verdictOf(token).catch((error: unknown) => {
      logger.warn({ err: error, token }, 'the audit verdict could not be read')
      return fail('AUDIT_UNAVAILABLE')
    })

  async function check(token: string): Promise<void> {
    if (last === null || clock.nowMs() - last.atMs >= CHECK_EVERY_MS) await verdictOf(token)
    else if (last.failed !== null) throw last.failed
  }

  return {
    check: url === null || probe === null ? null : () => check(probe),
    async read(token) {
      if (url === null) fail('AUDIT_UNAVAILABLE', { message: 'No audit provider is set up here.' })
      return cache.load(token, ask)
    },
  }
}

function readVerdict(answer: unknown, token: string, checkedAtS: number): Audited {
  const { verdict, url, address, chain_id } = (answer ?? {}) as Record<string, unknown>
  const known =
    typeof verdict === 'string' && Object.hasOwn(VERDICTS, verdict) ? VERDICTS[verdict] : undefined
  if (known === undefined) throw new Error('its verdict is none of the known ones')
  if (chain_id !== CHAIN_ID || String(address).toLowerCase() !== token) {
    throw new Error('its verdict is about something else')
  }
  return { verdict: known, url: webAddress(url), source: 'audit', checked_at: checkedAtS }
}

function webAddress(url: unknown): string | null {
  if (typeof url !== 'string' || url.length > MAX_URL_CHARS || !URL.canParse(url)) return null
  return /^https?:$/.test(new URL(url).protocol) ? url : null
}
