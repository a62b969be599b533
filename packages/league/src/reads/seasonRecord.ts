import type { Answer } from '@pit/protocol'
import { describeLedger, describePayout, describeWithdrawal } from '../reserve/describe.ts'
import { payoutsOf, withdrawalsOf } from '../reserve/store.ts'
import type { ReadDeps } from './readDeps.ts'
import { buildStandings, findSeason } from './standings.ts'
import { winnersIn } from './winners.ts'

/** GET league/seasons/<n>: one prize season, whole. */
export async function buildSeason(deps: ReadDeps, number: number): Promise<Answer<'league.season'>> {
  const found = await findSeason(deps, number)
  const { ledger, ...standings } = await buildStandings(deps, found, 'prize')
  const { db } = deps
  const [withdrawal] = await withdrawalsOf(db, [number])
  return {
    ...standings,
    ledger: ledger && describeLedger(ledger),
    withdrawal: describeWithdrawal(withdrawal),
    payouts: (await payoutsOf(db, [number])).map(describePayout),
    winners: (await winnersIn(db, [number])).get(number) ?? [],
    settled_at: found.row?.settled_at_s ?? null,
  }
}
