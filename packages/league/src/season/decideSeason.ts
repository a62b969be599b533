import { nowS } from '@pit/platform/clock'
import type { Db, Sql } from '@pit/platform/db'
import { NATIVE_TOKEN } from '@pit/protocol'
import type { Assets } from '../books/assets.ts'
import type { LeagueDeps } from '../deps.ts'
import { countSeason, type LedgerOverrides } from '../reserve/countSeason.ts'
import { flagListed } from '../reserve/flagListed.ts'
import { type CountedLedger, saveLedger } from '../reserve/store.ts'
import { nextState, outcomeFields, readLedger } from '../rules/index.ts'
import { type FactDeps, readFacts, type SeasonEntry } from '../standings/facts.ts'
import { judgeNow, type PrizeRow, prizeRows } from '../standings/prizeRows.ts'
import { recordRows } from '../standings/recorded.ts'
import { lockSeason, type SeasonRow, spanOf } from './store.ts'

const FACTS = { booksFinal: true, undecidedWinner: true, unreadWinner: true, nothingToPay: false }
const STATEMENT_TIMEOUT_MS = 300_000

export type DecideDeps = Pick<LeagueDeps, 'clock' | 'logger'> &
  FactDeps & {
    db: Db
    assets: Assets
    /** Whether the platform keeps a reserve here. */
    reserveOn: boolean
  }

/**
 * Fixes the places of a season once its review is over and no winner has an open rule. Later confirmations,
 * reviews or sanctions do not change it.
 */
export async function decideSeason(deps: DecideDeps, season: SeasonRow): Promise<boolean> {
  const { db, clock, logger } = deps
  const now = nowS(clock)
  const ready = (row: SeasonRow, open: { undecidedWinner: boolean; unreadWinner: boolean }) =>
    nextState({ ...FACTS, span: spanOf(row), state: row.state, nowS: now, ...open }) === 'decided'
  // While the review is open, return without reading anything.
  if (!ready(season, { undecidedWinner: false, unreadWinner: false })) return false
  return db.transaction(
    async (sql) => {
      const row = await lockSeason(sql, season.number)
      if (row?.state !== 'provisional') return false
      const entries = await readFacts(deps, sql, row, now)
      const judged = judgeNow(entries, row)
      const open = { undecidedWinner: judged.undecidedWinner(), unreadWinner: judged.unreadWinner() }
      if (!ready(row, open)) return false
      const rows = prizeRows(entries, judged, row, { amounts: [], nowS: now })
      await recordRows(sql, row.number, 'prize', withFacts(rows, entries))
      await sql.query(
        `update league_seasons set state = 'decided', decided_at_s = $2, outcome = $3::jsonb
         where number = $1`,
        [row.number, now, JSON.stringify(outcomeFields(judged.outcome))],
      )
      await planPayouts(deps, sql, row, now)
      await flagListed(sql, deps)
      logger.info({ season: row.number, pays: judged.outcome.pays }, 'season decided')
      return true
    },
    { statementTimeoutMs: STATEMENT_TIMEOUT_MS },
  )
}

/** Adds the judged facts to the rows, so that the decision can be verified. */
const withFacts = (rows: readonly PrizeRow[], entries: readonly SeasonEntry[]) => {
  const records = new Map(entries.map(({ record }) => [record.entryId, record]))
  return rows.map((row) => {
    const { facts, party, copying, reviews } = records.get(row.entry_id)!
    return { row, facts: { ...facts, party, copying, reviews } }
  })
}

/**
 * Counts the ledger of a decided season and plans its payouts. With a value missing the ledger is incomplete,
 * and this runs again.
 */
export async function planPayouts(
  deps: Pick<DecideDeps, 'marks' | 'assets' | 'reserveOn'>,
  sql: Sql,
  season: SeasonRow,
  now: number,
  overrides?: LedgerOverrides,
): Promise<CountedLedger | null> {
  if (!deps.reserveOn) return null
  const span = spanOf(season)
  const winners = await winnersOf(sql, season.number)
  const market = await deps.marks.read(sql, { endsAtS: span.endsAtS, nowS: now })
  const counted = await countSeason(sql, span, {
    placesWon: winners.length,
    partner: deps.assets.partner,
    market,
    ...(overrides ? { overrides } : {}),
  })
  await saveLedger(sql, season.number, counted, 'provisional', now)
  const { ledger } = counted
  if (!ledger || ledger.budget === 0n) return counted
  await sql.query(
    `insert into league_payouts (season, place, entry_id, agent_id, recipient, amount, status)
     select $1, place, entry_id, agent_id, recipient, amount::numeric, 'planned'
     from unnest($2::int4[], $3::int8[], $4::text[], $5::text[], $6::text[])
       as given (place, entry_id, agent_id, recipient, amount)
     on conflict (season, place) do update set amount = excluded.amount
       where league_payouts.status = 'planned' and league_payouts.tx_hash is null`,
    [
      season.number,
      winners.map(({ place }) => place),
      winners.map(({ entry_id }) => entry_id),
      winners.map(({ agent_id }) => agent_id),
      winners.map(({ recipient }) => recipient),
      winners.map(({ place }) => String(ledger.shares[place - 1])),
    ],
  )
  return counted
}

interface WinnerRow {
  place: number
  entry_id: number
  agent_id: string
  recipient: string
}

/** In order of place, each with the agent's own wallet as the registry records it. */
const winnersOf = (sql: Sql, season: number): Promise<WinnerRow[]> =>
  sql.query<WinnerRow>(
    `select (r.row->>'place')::int4 as place, r.entry_id, e.agent_id,
       coalesce(nullif(coalesce(o.agent_wallet, e.agent_wallet), $2), e.owner) as recipient
     from league_standings r join league_entries e on e.id = r.entry_id
     left join league_owners o on o.agent_id = e.agent_id and o.status = 'read'
     where r.season = $1 and r.board = 'prize' and r.row->>'place' is not null order by place`,
    [season, NATIVE_TOKEN],
  )

/** Counts a decided season's ledger until it is complete; without payouts the season settles itself. */
export async function settleByItself(deps: DecideDeps, season: SeasonRow): Promise<boolean> {
  const { db, clock, logger } = deps
  const now = nowS(clock)
  return db.transaction(async (sql) => {
    const row = await lockSeason(sql, season.number)
    if (row?.state !== 'decided') return false
    const storedLedger = await readLedger(sql, row.number)
    if (deps.reserveOn && storedLedger?.status !== 'provisional') {
      await planPayouts(deps, sql, row, now)
      await flagListed(sql, deps)
    }
    if (await hasOpenBefore(sql, row.number)) return false
    const ledger = await readLedger(sql, row.number)
    const [owed] = await sql.query<{ owed: boolean }>(
      'select exists (select 1 from league_payouts where season = $1) as owed',
      [row.number],
    )
    const nothingToPay = owed?.owed === false && (!deps.reserveOn || ledger?.status === 'provisional')
    const next = nextState({ ...FACTS, span: spanOf(row), state: row.state, nowS: now, nothingToPay })
    if (next !== 'settled') return false
    await fixLedger(sql, row.number, now)
    logger.info({ season: row.number }, 'season settled: nothing is owed')
    return true
  })
}

/** Ledgers are settled in order: each continues the one before. */
export async function hasOpenBefore(sql: Sql, season: number): Promise<boolean> {
  const open = await sql.query(
    `select 1 from league_seasons where number < $1 and state <> 'settled' limit 1`,
    [season],
  )
  return open.length > 0
}

/** From here on the ledger and the amounts do not change. */
export async function fixLedger(sql: Sql, season: number, now: number): Promise<void> {
  await sql.query(
    `update league_ledger set status = 'settled', updated_at_s = $2 where season = $1
     and status = 'provisional'`,
    [season, now],
  )
  await sql.query(`update league_seasons set state = 'settled', settled_at_s = $2 where number = $1`, [
    season,
    now,
  ])
}
