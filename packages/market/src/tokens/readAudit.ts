import { createCache } from '@pit/platform/cache'
import { type Clock, nowS } from '@pit/platform/clock'
import { createVendor, rateOf, type Vendor } from '@pit/platform/http'
import type { Logger } from '@pit/platform/monitoring'
import { ProfileError } from '@pit/platform/settings'
import { type Answer, type ChainProfile, fail, NATIVE_TOKEN, trimEnd } from '@pit/protocol'
import { AUDIT_PROVIDERS, type AuditOpinion, type Verdict } from './audits/index.ts'

export type Audit = NonNullable<Answer<'tokens.get'>['audit']>

export interface Audited {
  audit: Audit & { verdict: Verdict }
  findings: AuditOpinion['findings']
}

export interface AuditReader {
  /** A token's verdict, at most 5 minutes old. Refuses AUDIT_UNAVAILABLE without a verdict. */
  read(token: string): Promise<Audited>
  /** Whether the provider responds; throws with a reason if not. Null without a provider. */
  check: (() => Promise<void>) | null
}

const TIMEOUT_MS = 2_000
const CACHE_MS = 300_000
const MAX_CACHED = 20_000
/** How long a response, or its absence, counts as the provider's state. */
const CHECK_EVERY_MS = 10_000

export function createAuditReader({
  profile,
  clock,
  logger,
  timeoutMs = TIMEOUT_MS,
}: {
  profile: Pick<ChainProfile, 'core_tokens' | 'listed_stocks'> & {
    vendors: Pick<ChainProfile['vendors'], 'audit'>
  }
  clock: Clock
  logger: Pick<Logger, 'warn'>
  timeoutMs?: number
}): AuditReader {
  const { core_tokens, listed_stocks, vendors } = profile
  const opened = vendors.audit && openProvider(vendors.audit, { clock, timeoutMs })
  if (opened === null) {
    const read = async (token: string) => (token === NATIVE_TOKEN ? nativeVerdict(clock) : refuseNone())
    return { check: null, read }
  }
  const { provider, vendor, baseUrl } = opened

  const listed = new Set([...core_tokens, ...listed_stocks].map(({ address }) => address.toLowerCase()))
  const cache = createCache<string, Audited>({ max: MAX_CACHED, ttlMs: CACHE_MS, clock })
  /** The last logged failure, so that an outage is not logged per token. */
  let loggedFailure: string | null = null
  let last: { atMs: number; failed: Error | null } | null = null

  async function verdictOf(token: string): Promise<Audited> {
    try {
      const request = { token, listed: listed.has(token) }
      const { verdict, url, findings } = await vendor.ask(provider.request(baseUrl, token), (answer) =>
        provider.read(answer, request),
      )
      last = { atMs: clock.nowMs(), failed: null }
      loggedFailure = null
      return { audit: { verdict, url, source: 'audit', checked_at: nowS(clock) }, findings }
    } catch (error) {
      last = { atMs: clock.nowMs(), failed: error as Error }
      throw error
    }
  }

  const ask = (token: string): Promise<Audited> =>
    verdictOf(token).catch((error: unknown) => {
      const { message } = error as Error
      if (message !== loggedFailure) logger.warn({ err: error, token }, 'failed to read an audit verdict')
      loggedFailure = message
      return fail('AUDIT_UNAVAILABLE')
    })

  async function check(token: string): Promise<void> {
    if (last === null || clock.nowMs() - last.atMs >= CHECK_EVERY_MS) await verdictOf(token)
    else if (last.failed !== null) throw last.failed
  }

  /** A token to probe with. */
  const probe = core_tokens.find(({ native }) => !native)?.address.toLowerCase()
  return {
    check: probe === undefined ? null : () => check(probe),
    read: async (token) => (token === NATIVE_TOKEN ? nativeVerdict(clock) : cache.load(token, ask)),
  }
}

/** The native coin has no code to audit. */
const nativeVerdict = (clock: Clock): Audited => ({
  audit: { verdict: 'verified', url: null, source: 'native', checked_at: nowS(clock) },
  findings: [],
})

const refuseNone = (): never => fail('AUDIT_UNAVAILABLE', { message: 'No audit provider is configured.' })

function openProvider(
  { kind, url, per_minute }: NonNullable<ChainProfile['vendors']['audit']>,
  { clock, timeoutMs }: { clock: Clock; timeoutMs: number },
): { provider: (typeof AUDIT_PROVIDERS)[string]; vendor: Vendor; baseUrl: string } {
  const provider = Object.hasOwn(AUDIT_PROVIDERS, kind) ? AUDIT_PROVIDERS[kind] : undefined
  if (provider === undefined) {
    const kinds = Object.keys(AUDIT_PROVIDERS).join(', ')
    throw new ProfileError(`vendors.audit: unknown kind "${kind}"; use ${kinds}`)
  }
  const vendor = createVendor({ rate: rateOf(provider.rate, per_minute), timeoutMs, clock })
  return { provider, vendor, baseUrl: trimEnd(url, '/') }
}
