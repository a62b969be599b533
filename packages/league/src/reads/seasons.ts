import { nowS } from '@pit/platform/clock'
import type { Answer } from '@pit/protocol'
import { describeLedger, describePayout, describeWithdrawal } from '../reserve/describe.ts'
import { payoutsOf, withdrawalsOf } from '../reserve/store.ts'
import { seasonName } from '../rules/index.ts'
import { allSeasons, type SeasonRow } from '../season/store.ts'
import { entrantsIn, type ReadDeps } from './readDeps.ts'
import { buildStandings, findSeason } from './standings.ts'
import { winnersIn } from './winners.ts'

type Row = Answer<'league.seasons'>['seasons'][number]

/** GET league/seasons: every season that was opened or missed, newest first. */
export async function buildSeasons(deps: ReadDeps): Promise<Answer<'league.seasons'>> {
  const now = nowS(deps.clock)
  return { seasons: await describeSeasons(deps, await allSeasons(deps.db), now), now }
}

export async function describeSeasons(
  { db }: Pick<ReadDeps, 'db'>,
  rows: readonly SeasonRow[],
  now: number,
): Promise<Row[]> {
  const numbers = rows.map(({ number }) => number)
  const counts = await entrantsIn(db, numbers)
  const winners = await winnersIn(db, numbers)
  return rows.map((row) => ({
    number: row.number,
    name: seasonName(row.number),
    status: row.state === 'open' && now >= row.ends_at_s ? 'closing' : row.state,
    missed: row.missed,
    starts_at: row.starts_at_s,
    ends_at: row.ends_at_s,
    entrants: counts.get(row.number)?.prize ?? 0,
    practice_entrants: counts.get(row.number)?.practice ?? 0,
    decided: row.decided_at_s !== null,
    winners: winners.get(row.number) ?? [],
    pays: row.outcome?.pays ?? null,
    why: row.outcome?.why ?? null,
  }))
}

/** GET league/seasons/<n>: one prize season, whole. */
export async function buildSeason(deps: ReadDeps, number: number): Promise<Answer<'league.season'>> {
  const season = await findSeason(deps, number)
  const { ledger, ...standings } = await buildStandings(deps, season, 'prize')
  const { db } = deps
  const [withdrawal] = await withdrawalsOf(db, [number])
  return {
    ...standings,
    ledger: ledger && describeLedger(ledger),
    withdrawal: describeWithdrawal(withdrawal),
    payouts: (await payoutsOf(db, [number])).map(describePayout),
    winners: (await winnersIn(db, [number])).get(number) ?? [],
    settled_at: season.row?.settled_at_s ?? null,
  }
}
