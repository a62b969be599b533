import type { Ledger } from '@pit/league'
import type { Sql } from '@pit/platform/db'

export interface LedgerRow {
  season: number
  status: 'settled' | 'provisional' | 'incomplete'
  why: string | null
  reserve_before: string | null
  gain: string | null
  half_gain: string | null
  added: string | null
  kept_staked: string | null
  cap: string | null
  ceiling: string | null
  reserve: string | null
  budget: string | null
  shares: string[]
  paid: string[]
  paid_total: string
  reserve_after: string | null
  partner_price_e18: string | null
  mark_at_s: number | null
  mark_source: 'marks' | 'manual' | null
}

const COLUMNS = `season, status, why, reserve_before, gain, half_gain, added, kept_staked, cap, ceiling, reserve, budget,
  shares, paid, paid_total, reserve_after, partner_price_e18, mark_at_s, mark_source`

/** Newest first. */
export const allLedgers = (sql: Sql): Promise<LedgerRow[]> =>
  sql.query<LedgerRow>(`select ${COLUMNS} from league_ledger order by season desc`)

export async function readLedger(sql: Sql, season: number): Promise<LedgerRow | null> {
  const [row] = await sql.query<LedgerRow>(`select ${COLUMNS} from league_ledger where season = $1`, [season])
  return row ?? null
}

/** What a season's ledger came to, or why it cannot be counted yet. */
export interface CountedLedger {
  why: string | null
  reserveBefore: bigint | null
  gain: bigint | null
  ledger: Ledger | null
  partnerPriceE18: bigint | null
  markAtS: number | null
  markSource: 'marks' | 'manual' | null
}

/** A ledger that was settled stays as it is. */
export async function saveLedger(
  sql: Sql,
  season: number,
  counted: CountedLedger,
  status: 'settled' | 'provisional',
  nowS: number,
): Promise<void> {
  const { ledger } = counted
  const text = (value: bigint | null | undefined) => value?.toString() ?? null
  await sql.query(
    `insert into league_ledger (${COLUMNS}, updated_at_s)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13::text[]::numeric[], $14::text[]::numeric[], $15,
       $16, $17, $18, $19, $20)
     on conflict (season) do update set status = excluded.status, why = excluded.why,
       reserve_before = excluded.reserve_before, gain = excluded.gain, half_gain = excluded.half_gain,
       added = excluded.added, kept_staked = excluded.kept_staked, cap = excluded.cap, ceiling = excluded.ceiling,
       reserve = excluded.reserve, budget = excluded.budget, shares = excluded.shares, paid = excluded.paid,
       paid_total = excluded.paid_total, reserve_after = excluded.reserve_after,
       partner_price_e18 = excluded.partner_price_e18, mark_at_s = excluded.mark_at_s,
       mark_source = excluded.mark_source, updated_at_s = excluded.updated_at_s
     where league_ledger.status <> 'settled'`,
    [
      season,
      ledger === null ? 'incomplete' : status,
      counted.why,
      text(counted.reserveBefore),
      text(counted.gain),
      text(ledger?.halfGain),
      text(ledger?.added),
      text(ledger?.keptStaked),
      text(ledger?.cap),
      text(ledger?.ceiling),
      text(ledger?.reserve),
      text(ledger?.budget),
      (ledger?.shares ?? []).map(String),
      (ledger?.paid ?? []).map(String),
      String(ledger?.paidTotal ?? 0n),
      text(ledger?.reserveAfter),
      text(counted.partnerPriceE18),
      counted.markAtS,
      counted.markSource,
      nowS,
    ],
  )
}

export interface PayoutRow {
  season: number
  place: number
  entry_id: number
  agent_id: string
  recipient: string
  amount: string
  status: 'planned' | 'mined'
  tx_hash: string | null
  sender: string | null
  /** Why it is held back, or why the transaction that was named is not this payout. */
  problem: string | null
}

/** In order of place. */
export const payoutsOf = (sql: Sql, seasons: readonly number[]): Promise<PayoutRow[]> =>
  sql.query<PayoutRow>(
    `select season, place, entry_id, agent_id, recipient, amount, status, tx_hash, sender, problem
     from league_payouts where season = any($1::int4[]) order by season desc, place`,
    [seasons],
  )

export interface WithdrawalRow {
  season: number
  tx_hash: string | null
  amount: string
  at_s: number | null
  note: string | null
}

export const withdrawalsOf = (sql: Sql, seasons: readonly number[]): Promise<WithdrawalRow[]> =>
  sql.query<WithdrawalRow>(
    'select season, tx_hash, amount, at_s, note from league_withdrawals where season = any($1::int4[])',
    [seasons],
  )
