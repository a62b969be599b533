import type { Sql } from '@pit/platform/db'
import { type Answer, LEAGUE } from '@pit/protocol'
import { countLedger, type MarketRecord, RULES, type SeasonSpan } from '../rules/index.ts'
import { reserveBefore } from './countSeason.ts'
import { priceUsd } from './describe.ts'

export type Estimate = NonNullable<Answer<'league'>['reserve']['estimate']>

/** This season's payout if it ended now. Unknown values are null, never zero. */
export async function estimateSeason(
  sql: Sql,
  span: SeasonSpan,
  { market, partner, atS }: { market: MarketRecord; partner: string | null; atS: number },
): Promise<Estimate> {
  const before = await reserveBefore(sql, span.number)
  const [stake] = await sql.query<{ gain_so_far: string | null; why: string | null }>(
    'select gain_so_far, why from league_stake_now where season = $1',
    [span.number],
  )
  const gain = stake?.gain_so_far == null ? null : BigInt(stake.gain_so_far)
  const priceE18 = partner === null ? null : market.priceAt(partner, atS)
  const head = {
    reserve_before: before.atoms?.toString() ?? null,
    gain_so_far: gain?.toString() ?? null,
    cap_usd: RULES.prizeCapUsd,
    partner_usd: priceUsd(priceE18),
    mark_ts: priceE18 === null ? null : atS,
  }
  const nothing = { reserve: null, budget: null, shares: [], cap: null, ceiling: null, kept_staked: null }
  if (before.status !== 'known') {
    const status = before.status === 'incomplete' ? 'incomplete' : 'pending'
    return { ...head, ...nothing, status, why: before.why }
  }
  if (gain === null || priceE18 === null) {
    const why =
      gain === null ? (stake?.why ?? 'the stake is being read') : 'the platform-linked token has no mark now'
    return { ...head, ...nothing, status: 'pending', why }
  }
  const ledger = countLedger({
    reserveBefore: before.atoms,
    gain,
    partnerPriceE18: priceE18,
    placesWon: LEAGUE.places,
  })
  return {
    ...head,
    status: 'estimate',
    reserve: String(ledger.reserve),
    budget: String(ledger.budget),
    shares: ledger.shares.map(String),
    cap: String(ledger.cap),
    ceiling: String(ledger.ceiling),
    kept_staked: String(ledger.keptStaked),
  }
}
