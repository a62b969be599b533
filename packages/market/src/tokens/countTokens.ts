import { createCache } from '@pit/platform/cache'
import { nowS, type Timer } from '@pit/platform/clock'
import type { Sql } from '@pit/platform/db'
import type { Logger } from '@pit/platform/monitoring'
import { type Answer, fail, TOKENS } from '@pit/protocol'

export type TokenCounts = Omit<Answer<'tokens.stats'>, 'cached_s'>

export interface TokenStats {
  /** The last count, or a new one if that is old; refuses STATS_PENDING before the first. */
  read(): Promise<Answer<'tokens.stats'>>
  /** Tokens with a route by a recent count; null before the first that found any. */
  tradable(): Promise<number | null>
  /** Counts in the background unless the last count is fresh; a failure is logged. */
  countUnseen(): void
}

/** How long a caller waits for a count when the last one is old, as after an idle time. */
const WAIT_MS = 2_000
/** Rows per statement: the embedded store runs one statement at a time. */
const CHUNK = 2_000

interface Group {
  last: string
  rows: number
  tier: string
  kind: string
  tradable: boolean
  blocked_reason: string | null
  risks: string[]
}

interface TokenStatsDeps {
  db: Sql
  clock: Timer
  logger: Pick<Logger, 'warn'>
}

export function createTokenStats({ db, clock, logger }: TokenStatsDeps): TokenStats {
  const cache = createCache<'all', TokenCounts & { tookMs: number }>({
    max: 1,
    clock,
    // Measured from the end, so that a slow count is not repeated constantly. An empty registry does not count:
    // the core assets are registered first.
    ttlMs: ({ tookMs, total }) => (total === 0 ? 0 : tookMs + TOKENS.statsCacheS * 1_000),
  })

  async function count(): Promise<TokenCounts & { tookMs: number }> {
    const startedMs = clock.nowMs()
    const counts = await countTokens({ db, clock })
    return { ...counts, tookMs: clock.nowMs() - startedMs }
  }
  const load = async () => cache.load('all', count)
  const countLogged = () =>
    load().catch((error) => {
      logger.warn({ err: error }, 'failed to count tokens')
      return undefined
    })
  const countUnseen = () => void countLogged()
  async function waitFor<T>(work: Promise<T>): Promise<T | undefined> {
    const waiting = new AbortController()
    const bound = clock.sleep(WAIT_MS, waiting.signal).then(() => undefined)
    return Promise.race([work, bound]).finally(() => waiting.abort())
  }

  return {
    async read() {
      if (cache.latest('all') === undefined) {
        countUnseen()
        return fail('STATS_PENDING')
      }
      const { tookMs, ...counts } = await load()
      const ageS = clock.nowMs() / 1000 - counts.generated_at
      return { ...counts, cached_s: Math.max(0, Math.floor(ageS)) }
    },
    async tradable() {
      const latest = cache.latest('all')
      const counting = countLogged()
      const maxAgeMs = (latest?.value.tookMs ?? 0) + 2 * TOKENS.statsCacheS * 1_000
      const isRecent = latest !== undefined && clock.nowMs() - latest.atMs < maxAgeMs
      const counts = isRecent ? latest.value : await waitFor(counting)
      // Before the market is loaded no token has a route: null, not 0.
      return counts?.tradable || null
    },
    countUnseen,
  }
}

/** Counts the registry in pieces, ordered by address. */
export async function countTokens({ db, clock }: Pick<TokenStatsDeps, 'db' | 'clock'>): Promise<TokenCounts> {
  const counts: TokenCounts = {
    total: 0,
    tradable: 0,
    by_tier: {},
    by_kind: {},
    by_risk: {},
    blocked_by_reason: {},
    generated_at: 0,
  }
  const add = (to: Record<string, number>, name: string, rows: number) => {
    to[name] = (to[name] ?? 0) + rows
  }
  for (let after = ''; ; ) {
    const startedMs = clock.nowMs()
    const groups = await db.query<Group>(
      `select max(address) as last, count(*)::int4 as rows, tier, kind, tradable, blocked_reason, risks
       from (select * from tokens where address > $1 order by address limit ${CHUNK}) piece
       group by tier, kind, tradable, blocked_reason, risks`,
      [after],
    )
    for (const { last, rows, tier, kind, tradable, blocked_reason, risks } of groups) {
      counts.total += rows
      if (tradable) counts.tradable += rows
      add(counts.by_tier, tier, rows)
      add(counts.by_kind, kind, rows)
      for (const risk of risks) add(counts.by_risk, risk, rows)
      if (blocked_reason !== null) add(counts.blocked_by_reason, blocked_reason, rows)
      if (last > after) after = last
    }
    if (groups.reduce((sum, { rows }) => sum + rows, 0) < CHUNK)
      return { ...counts, generated_at: nowS(clock) }
    // Pauses as long as the statement took, so that other queries get a turn.
    await clock.sleep(Math.max(0, clock.nowMs() - startedMs))
  }
}
