import type { Sql } from '@pit/platform/db'
import { LEDGER_COLUMNS, type Ledger, type LedgerRow, ledgerTexts } from '../rules/index.ts'

/** Newest first. */
export const allLedgers = (sql: Sql): Promise<LedgerRow[]> =>
  sql.query<LedgerRow>(`select ${LEDGER_COLUMNS} from league_ledger order by season desc`)

/** A season's ledger, or the reason it cannot be counted yet. */
export interface CountedLedger {
  why: string | null
  reserveBefore: bigint | null
  gain: bigint | null
  ledger: Ledger | null
  partnerPriceE18: bigint | null
  markAtS: number | null
  markSource: 'marks' | 'manual' | null
  /** Whether its last mark was far from the median; null if an operator supplied the price. */
  markDiverges: boolean | null
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
  const texts = ledger && ledgerTexts(ledger)
  const text = (value: bigint | null | undefined) => value?.toString() ?? null
  await sql.query(
    `insert into league_ledger (${LEDGER_COLUMNS}, updated_at_s)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13::text[]::numeric[],
     $14::text[]::numeric[], $15,
       $16, $17, $18, $19, $20, $21)
     on conflict (season) do update set status = excluded.status, why = excluded.why,
       reserve_before = excluded.reserve_before, gain = excluded.gain, half_gain = excluded.half_gain,
       added = excluded.added, kept_staked = excluded.kept_staked, cap = excluded.cap,
       ceiling = excluded.ceiling,
       reserve = excluded.reserve, budget = excluded.budget, shares = excluded.shares, paid = excluded.paid,
       paid_total = excluded.paid_total, reserve_after = excluded.reserve_after,
       partner_price_e18 = excluded.partner_price_e18, mark_at_s = excluded.mark_at_s,
       mark_source = excluded.mark_source, mark_diverges = excluded.mark_diverges,
       updated_at_s = excluded.updated_at_s
     where league_ledger.status <> 'settled'`,
    [
      season,
      ledger === null ? 'incomplete' : status,
      counted.why,
      text(counted.reserveBefore),
      text(counted.gain),
      texts?.half_gain ?? null,
      texts?.added ?? null,
      texts?.kept_staked ?? null,
      texts?.cap ?? null,
      texts?.ceiling ?? null,
      texts?.reserve ?? null,
      texts?.budget ?? null,
      texts?.shares ?? [],
      texts?.paid ?? [],
      texts?.paid_total ?? '0',
      texts?.reserve_after ?? null,
      text(counted.partnerPriceE18),
      counted.markAtS,
      counted.markSource,
      counted.markDiverges,
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
  /** Why it is held back, or why the recorded transaction is not this payout. */
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
