import {
  type Copying,
  type EntryFacts,
  type LedgerRow,
  type Party,
  type Review,
  readLedger,
  readStake,
  type ScoredRow,
  type SeasonSpan,
  type StakeRow,
} from '@pit/league/rules'
import type { Sql } from '@pit/platform/db'
import { CommandRefused } from '../backtest/refused.ts'

/** What was recorded of a season, and what it is counted from. Read by queries of its own, but for rows that are only shown. */

export interface RecordedEntry {
  id: number
  wallet: string
  token: string
  left_at_s: number | null
  /** The row as it was recorded. */
  row: ScoredRow & { entry_id: number }
  facts: Omit<EntryFacts, 'ended'> & {
    party: Omit<Party, 'entryId'>
    copying: Copying | null
    reviews: Review[]
  }
}

export interface RawTrade {
  id: number
  wallet: string
  kind: string
  status: string
  token_in: string | null
  token_out: string | null
  amount_in: string | null
  amount_out: string | null
  tx_hash: string
  mined_at_s: number
  block: number
  /** What the league took its gas to be; null where it was not known. */
  gas_wei: string | null
  taken: boolean
}

export interface SeasonRecord {
  span: SeasonSpan
  decidedAtS: number
  outcome: unknown
  entries: RecordedEntry[]
  trades: RawTrade[]
  marks: Map<string, { minuteS: number; priceE18: bigint }[]>
  ledger: LedgerRow | null
  /** What the last ledger before it left. */
  reserveBefore: bigint
  stakes: { start: StakeRow | null; end: StakeRow | null }
  funders: { address: string; funder: string; block: number }[]
}

const HOUR_S = 3_600

export async function readRecord(sql: Sql, number: number): Promise<SeasonRecord> {
  const [season] = await sql.query<{
    starts_at_s: number
    ends_at_s: number
    state: string
    missed: boolean
    decided_at_s: number | null
    outcome: unknown
  }>(
    'select starts_at_s, ends_at_s, state, missed, decided_at_s, outcome from league_seasons where number = $1',
    [number],
  )
  if (!season) throw new CommandRefused(`there is no season ${number}`)
  if (season.missed) throw new CommandRefused(`season ${number} was missed: nothing was recorded`)
  if (season.decided_at_s === null)
    throw new CommandRefused(`season ${number} is ${season.state}: there is nothing decided to verify`)
  const span = { number, startsAtS: season.starts_at_s, endsAtS: season.ends_at_s }
  const entries = await sql.query<RecordedEntry>(
    `select e.id, e.wallet, e.token, e.left_at_s, r.row, r.facts
     from league_standings r join league_entries e on e.id = r.entry_id
     where r.season = $1 and r.board = 'prize' order by r.rank`,
    [number],
  )
  return {
    span,
    decidedAtS: season.decided_at_s,
    outcome: season.outcome,
    entries,
    trades: await readTrades(sql, span),
    marks: await readMarks(sql, span),
    ledger: await readLedger(sql, number),
    reserveBefore: await reserveBefore(sql, number),
    stakes: { start: await readStake(sql, span.startsAtS), end: await readStake(sql, span.endsAtS) },
    funders: await sql.query(
      'select address, funder, block from league_funders where funder is not null and block is not null',
    ),
  }
}

/** Without those that became final after the season was valued: the league refused them, and says so. */
const readTrades = (sql: Sql, { number, startsAtS, endsAtS }: SeasonSpan): Promise<RawTrade[]> =>
  sql.query<RawTrade>(
    `select t.id, t.wallet, t.kind, t.status, t.token_in, t.token_out, t.amount_in, t.amount_out, t.tx_hash,
       t.mined_at_s, t.block, l.gas_wei, l.trade_id is not null as taken
     from trades t left join league_trades l on l.trade_id = t.id
     where t.status in ('mined', 'reverted') and t.mined_at_s >= $2 and t.mined_at_s < $3
       and not exists (select 1 from league_late x where x.trade_id = t.id)
       and t.wallet in (select e.wallet from league_standings r join league_entries e on e.id = r.entry_id
         where r.season = $1 and r.board = 'prize')`,
    [number, startsAtS, endsAtS],
  )

async function readMarks(sql: Sql, { startsAtS, endsAtS }: SeasonSpan): Promise<SeasonRecord['marks']> {
  const rows = await sql.query<{ token: string; minute_s: number; price_e18: string }>(
    'select token, minute_s, price_e18 from marks where minute_s > $1 and minute_s <= $2 order by token, minute_s',
    [startsAtS - HOUR_S, endsAtS],
  )
  const marks: SeasonRecord['marks'] = new Map()
  for (const { token, minute_s, price_e18 } of rows) {
    const known = marks.get(token) ?? []
    if (known.length === 0) marks.set(token, known)
    known.push({ minuteS: minute_s, priceE18: BigInt(price_e18) })
  }
  return marks
}

async function reserveBefore(sql: Sql, number: number): Promise<bigint> {
  const [row] = await sql.query<{ reserve_after: string | null }>(
    'select reserve_after from league_ledger where season < $1 order by season desc limit 1',
    [number],
  )
  return BigInt(row?.reserve_after ?? 0)
}
