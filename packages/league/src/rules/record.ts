import type { Ledger } from './reserve.ts'

/** Rows of the league's record, shared by the league and by the independent recount. */

/** The part of a database that runs queries. */
export interface RecordReader {
  query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>
}

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
  /** Whether the last mark was far from the median; null if an operator supplied the price. */
  mark_diverges: boolean | null
}

export const LEDGER_COLUMNS = `
  season, status, why, reserve_before, gain, half_gain, added, kept_staked, cap, ceiling, reserve, budget,
  shares, paid, paid_total, reserve_after, partner_price_e18, mark_at_s, mark_source,
  mark_diverges`

export async function readLedger(sql: RecordReader, season: number): Promise<LedgerRow | null> {
  const [row] = await sql.query<LedgerRow>(`select ${LEDGER_COLUMNS} from league_ledger where season = $1`, [
    season,
  ])
  return row ?? null
}

/** A counted ledger as the texts of its row. */
export const ledgerTexts = (ledger: Ledger) => ({
  reserve_before: String(ledger.reserveBefore),
  gain: String(ledger.gain),
  half_gain: String(ledger.halfGain),
  added: String(ledger.added),
  kept_staked: String(ledger.keptStaked),
  cap: String(ledger.cap),
  ceiling: String(ledger.ceiling),
  reserve: String(ledger.reserve),
  budget: String(ledger.budget),
  shares: ledger.shares.map(String),
  paid: ledger.paid.map(String),
  paid_total: String(ledger.paidTotal),
  reserve_after: String(ledger.reserveAfter),
})

/** The platform's stake at the second a season starts and the one before ends. */
export interface StakeRow {
  /** The last block before it; null before the chain's first. */
  block: number | null
  principal: string
  gain: string
  /** Since the boundary before; null while that one was not read. */
  withdrawn: string | null
}

export async function readStake(sql: RecordReader, boundaryS: number): Promise<StakeRow | null> {
  const [row] = await sql.query<StakeRow>(
    'select block, principal, gain, withdrawn from league_stakes where boundary_s = $1',
    [boundaryS],
  )
  return row ?? null
}
