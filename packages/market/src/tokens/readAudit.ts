import { type Clock, nowS } from '@pit/platform/clock'
import type { Logger } from '@pit/platform/logger'
import { type Answer, CHAIN_ID, fail } from '@pit/protocol'

export type Audit = NonNullable<Answer<'tokens.get'>['audit']>
export type Verdict = 'verified' | 'unverified' | 'flagged'

export interface AuditReader {
  /** A token's verdict, at most minutes old. Refuses AUDIT_UNAVAILABLE: no answer is never a good one. */
  read(token: string): Promise<Audit & { verdict: Verdict }>
}

const TIMEOUT_MS = 2_000
const MAX_ANSWER_BYTES = 65_536
const CACHE_S = 300
const MAX_CACHED = 20_000
const MAX_URL_CHARS = 512
/** The provider's words and ours. */
const VERDICTS: Record<string, Verdict> = { verified: 'verified', flagged: 'flagged', unknown: 'unverified' }

export function createAuditReader({
  url,
  clock,
  logger,
  timeoutMs = TIMEOUT_MS,
}: {
  url: string | null
  clock: Clock
  logger: Pick<Logger, 'warn'>
  timeoutMs?: number
}): AuditReader {
  const cached = new Map<string, Audit & { verdict: Verdict }>()
  const asked = new Map<string, Promise<Audit & { verdict: Verdict }>>()

  async function ask(token: string): Promise<Audit & { verdict: Verdict }> {
    try {
      const answer = await fetch(`${url}/tokens/${CHAIN_ID}/${token}`, {
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
        headers: { accept: 'application/json' },
      })
      if (answer.status !== 200) throw new Error(`it answered ${answer.status}`)
      const audit = readVerdict(JSON.parse(await boundedText(answer)), token, nowS(clock))
      keep(token, audit)
      return audit
    } catch (error) {
      logger.warn({ err: error, token }, 'the audit verdict could not be read')
      return fail('AUDIT_UNAVAILABLE')
    }
  }

  function keep(token: string, audit: Audit & { verdict: Verdict }): void {
    cached.delete(token)
    cached.set(token, audit)
    if (cached.size <= MAX_CACHED) return
    const oldest = cached.keys().next().value
    if (oldest !== undefined) cached.delete(oldest)
  }

  return {
    async read(token) {
      if (url === null) fail('AUDIT_UNAVAILABLE', { message: 'No audit provider is set up here.' })
      const known = cached.get(token)
      if (known && nowS(clock) - known.checked_at < CACHE_S) return known
      let answer = asked.get(token)
      if (answer === undefined) {
        answer = ask(token).finally(() => asked.delete(token))
        asked.set(token, answer)
      }
      return answer
    },
  }
}

function readVerdict(answer: unknown, token: string, checkedAtS: number): Audit & { verdict: Verdict } {
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

async function boundedText(answer: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of answer.body ?? []) {
    size += chunk.length
    if (size > MAX_ANSWER_BYTES) throw new Error('its answer is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
