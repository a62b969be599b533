import { setTimeout as sleep } from 'node:timers/promises'
import { type Clock, nowS } from '@pit/platform/clock'
import type { Sql } from '@pit/platform/db'
import type { Logger } from '@pit/platform/logger'
import { type Answer, fail, TOKENS } from '@pit/protocol'

export type TokenCounts = Omit<Answer<'tokens.stats'>, 'cached_s'>

export interface TokenStats {
  /** The last count; refuses STATS_PENDING before the first. Asks for another when it is old. */
  read(): Answer<'tokens.stats'>
  tradable(): number | null
  /** Counts now; resolves when done. */
  refresh(): Promise<void>
}

/** Rows a statement counts: the embedded store does one thing at a time and others wait meanwhile. */
const CHUNK = 2_000
/** A registry that takes long to count is counted less often: this much of the time at most goes into it. */
const MAX_SHARE = 0.1

interface Group {
  last: string
  rows: number
  tier: string
  kind: string
  tradable: boolean
  blocked_reason: string | null
  risks: string[]
}

export function createTokenStats({
  db,
  clock,
  logger,
}: {
  db: Sql
  clock: Clock
  logger: Logger
}): TokenStats {
  let counts: TokenCounts | undefined
  let underWay: Promise<void> | undefined
  let nextAtMs = 0

  function refresh(): Promise<void> {
    const startedMs = clock.nowMs()
    underWay ??= countTokens(db, nowS(clock))
      .then((counted) => {
        counts = counted
        nextAtMs = Math.max(
          startedMs + TOKENS.statsCacheS * 1_000,
          clock.nowMs() + (clock.nowMs() - startedMs) / MAX_SHARE,
        )
      })
      .finally(() => {
        underWay = undefined
      })
    return underWay
  }
  const refreshUnseen = () =>
    void refresh().catch((error) => logger.warn({ err: error }, 'the tokens were not counted'))

  return {
    read() {
      const ageS =
        counts === undefined ? Number.POSITIVE_INFINITY : clock.nowMs() / 1000 - counts.generated_at
      if (clock.nowMs() >= nextAtMs) refreshUnseen()
      if (counts === undefined) fail('STATS_PENDING')
      return { ...counts, cached_s: Math.max(0, Math.floor(ageS)) }
    },
    tradable: () => counts?.tradable ?? null,
    refresh,
  }
}

/** Goes through the registry piece by piece, in the order of addresses. */
export async function countTokens(db: Sql, generatedAtS: number): Promise<TokenCounts> {
  const counts: TokenCounts = {
    total: 0,
    tradable: 0,
    by_tier: {},
    by_kind: {},
    by_risk: {},
    blocked_by_reason: {},
    generated_at: generatedAtS,
  }
  const add = (to: Record<string, number>, name: string, rows: number) => {
    to[name] = (to[name] ?? 0) + rows
  }
  for (let after = ''; ; ) {
    const startedMs = performance.now()
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
    if (groups.reduce((sum, { rows }) => sum + rows, 0) < CHUNK) return counts
    // Whoever waited for this piece comes first.
    await sleep(performance.now() - startedMs)
  }
}
