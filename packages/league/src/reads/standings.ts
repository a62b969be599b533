import { setImmediate } from 'node:timers/promises'
import { nowS } from '@pit/platform/clock'
import { type Answer, type Board, fail, LEAGUE } from '@pit/protocol'
import { countSeason } from '../reserve/countSeason.ts'
import { rowOf } from '../reserve/describe.ts'
import { estimateSeason } from '../reserve/estimate.ts'
import {
  type LedgerRow,
  nextSeasonAt,
  outcomeFields,
  readLedger,
  type SeasonSpan,
  seasonAt,
  seasonOf,
} from '../rules/index.ts'
import { marksOf, readSeason, type SeasonRow, spanOf } from '../season/store.ts'
import { readFacts } from '../standings/facts.ts'
import { practiceRows } from '../standings/practiceRows.ts'
import { judgeNow, prizeRows } from '../standings/prizeRows.ts'
import { recordedRows } from '../standings/recorded.ts'
import { describeSeason } from './describeSeason.ts'
import { entrantsFor, type ReadDeps } from './readDeps.ts'

type Standings = Answer<'league.standings'>

/** Any opened season by number; without a number the running one, or the first before it starts. */
export async function findSeason(
  { db, firstSeasonS, clock }: ReadDeps,
  number: number | undefined,
): Promise<{ span: SeasonSpan; row: SeasonRow | null }> {
  const current = seasonAt(firstSeasonS, nowS(clock)) ?? seasonOf(firstSeasonS, 1)
  const wantedNumber = number ?? current.number
  const row = await readSeason(db, wantedNumber)
  if (row) return { span: spanOf(row), row }
  return wantedNumber === current.number
    ? { span: current, row: null }
    : fail('NO_SEASON', { field: 'season' })
}

/** A board's standings, from the store. */
export async function buildStandings(
  deps: ReadDeps,
  selected: { span: SeasonSpan; row: SeasonRow | null },
  board: Board,
): Promise<Standings & { ledger: LedgerRow | null }> {
  const { db, clock, firstSeasonS } = deps
  const now = nowS(clock)
  const season = describeSeason(selected.span, selected.row, now)
  const next = await entrantsFor(db, nextSeasonAt(firstSeasonS, now))
  const head = {
    board,
    season,
    status: season.status,
    decided: selected.row?.decided_at_s != null,
    entrants_next: next[board],
    now,
  }
  if (!selected.row || selected.row.missed) {
    return {
      ...head,
      rows: [],
      outcome: selected.row && board === 'prize' ? selected.row.outcome : null,
      ...noPrizes(board),
      ledger: null,
    }
  }
  return board === 'practice'
    ? { ...head, ...(await practicePart(deps, selected.row, now)), ...noPrizes(board), ledger: null }
    : { ...head, ...(await prizePart(deps, selected.row, now)) }
}

const noPrizes = (board: Board) => ({
  places: board === 'prize' ? LEAGUE.places : 0,
  amounts_atoms: [],
  amounts_basis: null,
})

async function practicePart({ db, marks, assets }: ReadDeps, season: SeasonRow, now: number) {
  if (season.valued_at_s !== null)
    return { rows: await recordedRows(db, season.number, 'practice'), outcome: null }
  const market = await marks.read(db, { ...marksOf(season, now), nowS: now })
  return {
    rows: await practiceRows(db, season, { market, usdg: assets.usdg, nowS: now }),
    outcome: null,
  }
}

type PrizePart = Pick<Standings, 'rows' | 'outcome' | 'places' | 'amounts_atoms' | 'amounts_basis'> & {
  ledger: LedgerRow | null
}

async function prizePart(deps: ReadDeps, season: SeasonRow, now: number): Promise<PrizePart> {
  if (season.decided_at_s !== null) return decidedPart(deps, season)
  const entries = await readFacts(deps, deps.db, season, now)
  await setImmediate()
  const judged = judgeNow(entries, season)
  await setImmediate()
  const placesWon = judged.rows.filter(({ place }) => place !== null).length
  const { amounts, basis, ledger } = await amountsOf(deps, season, placesWon, now)
  const rows = prizeRows(entries, judged, season, { amounts: amounts.map(BigInt), nowS: now })
  return {
    rows,
    outcome: outcomeFields(judged.outcome),
    places: LEAGUE.places,
    amounts_atoms: [...amounts],
    amounts_basis: basis,
    ledger,
  }
}

const prizeOf = (place: number | null, amounts: readonly string[]): string | null =>
  place === null ? null : (amounts[place - 1] ?? null)

/** As recorded; amounts come from the ledger, which may have been completed later. */
async function decidedPart({ db }: ReadDeps, season: SeasonRow): Promise<PrizePart> {
  const ledger = await readLedger(db, season.number)
  const amounts = ledger?.shares ?? []
  const rows = await recordedRows(db, season.number, 'prize')
  return {
    rows: rows.map((row) => ({ ...row, prize_atoms: prizeOf(row.place, amounts) }) as typeof row),
    outcome: season.outcome,
    places: LEAGUE.places,
    amounts_atoms: amounts,
    amounts_basis: amounts.length > 0 ? 'decided' : null,
    ledger,
  }
}

async function amountsOf(deps: ReadDeps, season: SeasonRow, placesWon: number, now: number) {
  const { db, marks, assets, reserveOn } = deps
  if (!reserveOn) return { amounts: [] as string[], basis: null, ledger: null }
  const span = spanOf(season)
  const market = await marks.read(db, { ...marksOf(season, now), nowS: now })
  if (now < span.endsAtS) {
    const { shares } = await estimateSeason(db, span, { market, partner: assets.partner, atS: now })
    return { amounts: shares, basis: 'estimate' as const, ledger: null }
  }
  const counted = await countSeason(db, span, { placesWon, partner: assets.partner, market })
  const ledger = rowOf(season.number, counted)
  return { amounts: ledger.shares, basis: 'provisional' as const, ledger }
}
