import type { Address } from '@pit/chain'
import type { Sql } from '@pit/platform/db'
import { LISTED, type Listing } from '../reserve/flagListed.ts'
import { type PayoutRow, payoutsOf } from '../reserve/store.ts'
import { lockSeason } from '../season/store.ts'
import { LeagueRefused } from './refused.ts'

const HASH = /^0x[0-9a-f]{64}$/

export interface PayoutRecord extends Listing {
  season: number
  place: number
  txHash: string
  atS: number
}

/** Names the transaction that pays a place. It counts once the chain shows exactly that transfer. */
export async function recordPayout(sql: Sql, record: PayoutRecord): Promise<void> {
  const { season, place, txHash, atS } = record
  const hash = txHash.toLowerCase()
  if (!HASH.test(hash)) throw new LeagueRefused(`${txHash} is not a transaction hash`)
  const row = await lockSeason(sql, season)
  if (!row) throw new LeagueRefused(`season ${season} does not exist`)
  if (row.state !== 'settled') throw new LeagueRefused(`season ${season} is ${row.state}: settle it first`)
  const [payout] = await sql.query<{ status: string; recipient: Address; problem: string | null }>(
    'select status, recipient, problem from league_payouts where season = $1 and place = $2 for update',
    [season, place],
  )
  if (!payout) throw new LeagueRefused(`season ${season} has no prize for place ${place}`)
  if (payout.status === 'mined') throw new LeagueRefused(`place ${place} of season ${season} is paid`)
  // By the jobs' last reading of the list, and by the current list.
  if (payout.problem === LISTED || (await record.isSanctioned(payout.recipient)))
    throw new LeagueRefused(`${payout.recipient}: ${LISTED}`)
  const other = await sql.query(
    `select 1 from league_payouts where tx_hash = $1 and recipient = $2 and not (season = $3 and place = $4)`,
    [hash, payout.recipient, season, place],
  )
  if (other.length > 0) throw new LeagueRefused('that transaction already pays another place')
  await sql.query(
    `update league_payouts set tx_hash = $3, problem = null, recorded_at_s = $4 where season = $1
     and place = $2`,
    [season, place, hash, atS],
  )
}

export interface WithdrawalRecord {
  season: number
  /** Null if nothing was withdrawn; `note` gives the reason. */
  txHash: string | null
  amount: bigint
  atS: number
  note: string | null
}

/** Records a withdrawal from the stake for a season's prizes. */
export async function recordWithdrawal(sql: Sql, record: WithdrawalRecord): Promise<void> {
  const { season, amount, atS, note } = record
  const hash = record.txHash?.toLowerCase() ?? null
  if (hash !== null && !HASH.test(hash)) throw new LeagueRefused(`${record.txHash} is not a transaction hash`)
  if (amount < 0n) throw new LeagueRefused('the amount must not be negative')
  if (!(await lockSeason(sql, season))) throw new LeagueRefused(`season ${season} does not exist`)
  await sql.query(
    `insert into league_withdrawals (season, tx_hash, amount, at_s, note) values ($1, $2, $3, $4, $5)
     on conflict (season) do update set tx_hash = excluded.tx_hash, amount = excluded.amount,
     at_s = excluded.at_s,
       note = excluded.note`,
    [season, hash, amount, atS, note],
  )
}

/** Unpaid prizes, oldest season first, each with its problem if any. */
export async function openPayouts(sql: Sql): Promise<PayoutRow[]> {
  const seasons = await sql.query<{ season: number }>(
    `select distinct season from league_payouts where status = 'planned' order by season limit 100`,
  )
  const rows = await payoutsOf(
    sql,
    seasons.map(({ season }) => season),
  )
  return rows
    .filter(({ status }) => status === 'planned')
    .sort((a, b) => a.season - b.season || a.place - b.place)
}
