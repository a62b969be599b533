import { allMarks, type MinuteMark } from '@pit/market/markReads'
import type { Sql } from '@pit/platform/db'
import { minedBetween } from '@pit/relay/tradeReads'
import type { StoredBalances } from '../books/seen.ts'
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
} from '../rules/index.ts'
import { readSeason, type StoredOutcome, spanOf } from '../season/store.ts'

export { groupBy } from '../books/groupBy.ts'
export { seenIn } from '../books/seen.ts'

/** What was recorded of a season, and what it is counted from: for whoever counts it again. */

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

export interface RecordedBalances {
  entry_id: number
  at_s: number
  balances: StoredBalances
}

export interface SeasonRecord {
  span: SeasonSpan
  decidedAtS: number
  outcome: StoredOutcome | null
  entries: RecordedEntry[]
  trades: RawTrade[]
  marks: Map<string, Pick<MinuteMark, 'minuteS' | 'priceE18'>[]>
  /** Full hours with the block at which wallets were looked at, and what each was seen to hold. */
  samples: { at_s: number; block: number | null }[]
  balances: RecordedBalances[]
  ledger: LedgerRow | null
  /** What the last ledger before it left. */
  reserveBefore: bigint
  stakes: { start: StakeRow | null; end: StakeRow | null }
  funders: { address: string; funder: string; block: number }[]
}

const HOUR_S = 3_600
const IDS_PER_QUERY = 20_000

/** A decided season's record, or why there is none. */
export async function readRecord(sql: Sql, number: number): Promise<SeasonRecord | { none: string }> {
  const season = await readSeason(sql, number)
  if (!season) return { none: `there is no season ${number}` }
  if (season.missed) return { none: `season ${number} was missed: nothing was recorded` }
  if (season.decided_at_s === null)
    return { none: `season ${number} is ${season.state}: there is nothing decided to verify` }
  const span = spanOf(season)
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
    trades: await readTrades(sql, span, [...new Set(entries.map(({ wallet }) => wallet))]),
    marks: await allMarks(sql, { afterS: span.startsAtS - HOUR_S, toS: span.endsAtS }),
    samples: await sql.query('select at_s, block from league_samples where season = $1 order by at_s', [
      number,
    ]),
    balances: await sql.query(
      'select entry_id, at_s, balances from league_balances where season = $1 order by at_s, entry_id',
      [number],
    ),
    ledger: await readLedger(sql, number),
    reserveBefore: await reserveBefore(sql, number),
    stakes: { start: await readStake(sql, span.startsAtS), end: await readStake(sql, span.endsAtS) },
    funders: await sql.query(
      'select address, funder, block from league_funders where funder is not null and block is not null',
    ),
  }
}

/** Without those that became final after the season was valued: the league refused them, and says so. */
async function readTrades(
  sql: Sql,
  { startsAtS, endsAtS }: SeasonSpan,
  wallets: readonly string[],
): Promise<RawTrade[]> {
  const mined = await minedBetween(sql, { wallets, fromS: startsAtS, beforeS: endsAtS })
  const taken = new Map<number, string | null>()
  const late = new Set<number>()
  for (let from = 0; from < mined.length; from += IDS_PER_QUERY) {
    const ids = mined.slice(from, from + IDS_PER_QUERY).map(({ id }) => id)
    const rows = await sql.query<{ trade_id: number; gas_wei: string | null; late: boolean }>(
      `select trade_id, gas_wei, false as late from league_trades where trade_id = any($1::int8[])
       union all select trade_id, null, true from league_late where trade_id = any($1::int8[])`,
      [ids],
    )
    for (const row of rows) {
      if (row.late) late.add(row.trade_id)
      else taken.set(row.trade_id, row.gas_wei)
    }
  }
  return mined
    .filter(({ id }) => !late.has(id))
    .map((trade) => ({
      id: trade.id,
      wallet: trade.wallet,
      kind: trade.kind,
      status: trade.status,
      token_in: trade.tokenIn,
      token_out: trade.tokenOut,
      amount_in: trade.amountIn?.toString() ?? null,
      amount_out: trade.amountOut?.toString() ?? null,
      tx_hash: trade.txHash,
      mined_at_s: trade.minedAtS!,
      block: trade.block!,
      gas_wei: taken.get(trade.id) ?? null,
      taken: taken.has(trade.id),
    }))
}

async function reserveBefore(sql: Sql, number: number): Promise<bigint> {
  const [row] = await sql.query<{ reserve_after: string | null }>(
    'select reserve_after from league_ledger where season < $1 order by season desc limit 1',
    [number],
  )
  return BigInt(row?.reserve_after ?? 0)
}
