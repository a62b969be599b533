import type { Sql } from '@pit/platform/db'
import type { Answer } from '@pit/protocol'
import { payoutsOf } from '../reserve/store.ts'

export type Winner = Answer<'league.season'>['winners'][number]

interface PlacedRow {
  season: number
  place: number
  entry_id: number
  agent_id: string
  symbol: string | null
  label: string
  score: string | null
  profit_usd: number | null
}

/** Who won each season, in order of place; planned until the chain shows the transfer. */
export async function winnersIn(sql: Sql, seasons: readonly number[]): Promise<Map<number, Winner[]>> {
  const placed = await sql.query<PlacedRow>(
    `select season, (row->>'place')::int4 as place, entry_id, row->>'agent_id' as agent_id, row->>'symbol'
     as symbol,
       row->>'label' as label, row->>'score' as score, (row->>'profit_usd')::float8 as profit_usd
     from league_standings
     where season = any($1::int4[]) and board = 'prize' and row->>'place' is not null order by season, place`,
    [seasons],
  )
  const payouts = new Map((await payoutsOf(sql, seasons)).map((row) => [`${row.season} ${row.place}`, row]))
  const winners = new Map<number, Winner[]>()
  for (const { season, ...row } of placed) {
    const payout = payouts.get(`${season} ${row.place}`)
    const winner = {
      ...row,
      amount: payout?.amount ?? '0',
      status: payout?.status ?? ('planned' as const),
      tx_hash: payout?.tx_hash ?? null,
    }
    winners.set(season, [...(winners.get(season) ?? []), winner])
  }
  return winners
}
