import { nowS } from '@pit/platform/clock'
import { stakingRegistryOf } from '@pit/protocol'
import type { Assets } from '../books/assets.ts'
import type { MarkBook } from '../books/marks.ts'
import { sampleBooks } from '../books/sampleBooks.ts'
import { createTaker } from '../books/takeTrades.ts'
import { checkPayouts } from '../chain/checkPayouts.ts'
import { readFunders } from '../chain/readFunders.ts'
import { readOwners } from '../chain/readOwners.ts'
import { createStakeNow, readStakeAt } from '../chain/readStakes.ts'
import { sampleBalances } from '../chain/sampleBalances.ts'
import { createTransferScanner } from '../chain/scanTransfers.ts'
import type { LeagueDeps } from '../deps.ts'
import { sweepStatements } from '../entries/statements.ts'
import { sweepRequests } from '../practice/requests.ts'
import { recordCurves } from '../reads/curves.ts'
import { flagListed } from '../reserve/flagListed.ts'
import { RULES, type SeasonSpan, seasonAt } from '../rules/index.ts'
import { endSeason, valueSeason } from './closeSeason.ts'
import { decideSeason, settleByItself } from './decideSeason.ts'
import { openMissingBooks, openPracticeBooks, openSeasons } from './openSeasons.ts'
import { readSeason, spanOf, unsettledSeasons } from './store.ts'

/** Transfer scans per run. */
const MAX_SCANS = 20
const MAX_BOOK_ROUNDS = 100
const MAX_OWNER_PARTS = 20
const EQUITY_PAGE = 1_000
const REST_AFTER_FAILURE_MS = 20_000
/** Interval of steps that read a whole season or rarely have work. */
const SELDOM_MS = 30_000
/** Less than a minute, so that none is missed. */
const CURVES_MS = 50_000

type Step = (what: string, work: () => Promise<unknown>, everyMs?: number) => Promise<void>

export type RunDeps = LeagueDeps & {
  firstSeasonS: number
  assets: Assets
  marks: MarkBook
  reserveOn: boolean
}

/**
 * Runs everything that is due: opens, ends, values and decides seasons, takes trades, reads the chain. It may
 * run late or twice: each step reads the record and does what is missing. A failing step does not stop the
 * others.
 */
export function createRunner(deps: RunDeps): (signal: AbortSignal) => Promise<void> {
  const { db, clock, logger, vault, profile, firstSeasonS } = deps
  const takeTrades = createTaker(deps)
  const keepEquity = createEquityKeeper(deps)
  const scanTransfers = createTransferScanner(deps)
  const platformAgentId = profile.league.platform_agent_id
  const isStaked = stakingRegistryOf(profile) !== null
  const stake = vault && isStaked && platformAgentId ? { ...deps, vault, platformAgentId } : null
  const stakeNow = stake && createStakeNow(stake)
  /** By step, when it is due again after a failure or its interval. */
  const dueMs = new Map<string, number>()
  const failing = new Set<string>()

  /** Logs a failure once until the step succeeds, and retries it after a pause. */
  async function attempt(what: string, work: () => Promise<unknown>, everyMs = 0): Promise<void> {
    const nowMs = clock.nowMs()
    if (nowMs < (dueMs.get(what) ?? 0)) return
    try {
      await work()
      dueMs.set(what, nowMs + everyMs)
      failing.delete(what)
    } catch (error) {
      if (!failing.has(what)) logger.warn({ err: error }, `league: ${what} failed and is tried again`)
      failing.add(what)
      dueMs.set(what, nowMs + REST_AFTER_FAILURE_MS)
    }
  }

  async function current(step: Step): Promise<void> {
    const span = seasonAt(firstSeasonS, nowS(clock))
    if (!span || (await readSeason(db, span.number))?.state !== 'open') return
    await step('opening practice books', async () => {
      for (let round = 0; round < MAX_BOOK_ROUNDS; round++) {
        if ((await openPracticeBooks(deps, span)) === 0) return
      }
    })
    await step('looking at the books by the hour', () => sampleBooks(deps, span))
    await step('keeping practice equity', () => keepEquity(span))
    await step('recording curves', () => recordCurves(deps, span), CURVES_MS)
    if (stake) await step('reading the stake at the start', () => readStakeAt(stake, span, 'start'))
    if (stakeNow) await step('reading the stake', () => stakeNow(span))
  }

  async function ended(step: Step): Promise<void> {
    for (const season of await unsettledSeasons(db)) {
      const now = nowS(clock)
      if (now < season.ends_at_s) continue
      if (stake) {
        await step('reading the stake at the start', () => readStakeAt(stake, spanOf(season), 'start'))
        await step('reading the stake at the end', () => readStakeAt(stake, spanOf(season), 'end'))
      }
      await step('valuing a season', () => valueSeason(deps, season))
      const row = (await readSeason(db, season.number)) ?? season
      const { number } = row
      if (row.state === 'provisional')
        await step(`deciding season ${number}`, () => decideSeason(deps, row), SELDOM_MS)
      const decided = (await readSeason(db, number)) ?? row
      if (decided.state === 'decided')
        await step(`settling season ${number}`, () => settleByItself(deps, decided), SELDOM_MS)
    }
  }

  return async (signal) => {
    const step: Step = async (...args) => (signal.aborted ? undefined : attempt(...args))
    await step('ending seasons', async () => {
      for (const season of await unsettledSeasons(db)) await endSeason(deps, season)
    })
    await step('opening seasons', () => openSeasons(deps))
    // Before trades are taken: a late entrant's token counts as a participant's token in others' trades.
    const span = seasonAt(firstSeasonS, nowS(clock))
    if (span) await step('opening books of late entries', () => openMissingBooks(deps, span))
    await step('reading balances by the hour', async () => {
      for (const season of await unsettledSeasons(db))
        if (season.valued_at_s === null) await sampleBalances(deps, spanOf(season))
    })
    await step('taking trades', takeTrades)
    await current(step)
    if (vault) {
      await step('reading owners', async () => {
        for (let part = 0; part < MAX_OWNER_PARTS; part++)
          if ((await readOwners({ ...deps, vault })) === 0) return
      })
    }
    await step('reading first funders', () => readFunders(deps))
    await step('looking for transfers', async () => {
      for (let scan = 0; scan < MAX_SCANS; scan++) if ((await scanTransfers()) === 'done') return
    })
    await ended(step)
    await step('holding back listed recipients', () => flagListed(db, deps))
    const { partner } = deps.assets
    if (partner !== null) await step('checking payouts', () => checkPayouts({ ...deps, partner }))
    await step('sweeping statements', () => sweepStatements(db, nowS(clock)), SELDOM_MS)
    await step('sweeping paper requests', () => sweepRequests(db, nowS(clock)), SELDOM_MS)
  }
}

/** Records the equity of every practice book once an hour, for drawdowns. */
function createEquityKeeper({
  db,
  clock,
  paper,
}: Pick<LeagueDeps, 'db' | 'clock' | 'paper'>): (span: SeasonSpan) => Promise<void> {
  let keptHourS = 0
  return async (span) => {
    const now = nowS(clock)
    const hourS = now - (now % RULES.sampleEveryS)
    if (hourS <= keptHourS || now >= span.endsAtS) return
    for (let after = 0; ; ) {
      const rows = await db.query<{ book_id: number }>(
        `select book_id from league_practice_books where season = $1 and book_id > $2
         order by book_id limit $3`,
        [span.number, after, EQUITY_PAGE],
      )
      if (rows.length === 0) break
      await paper.recordEquity(rows.map(({ book_id }) => book_id))
      after = rows[rows.length - 1]!.book_id
    }
    keptHourS = hourS
  }
}
