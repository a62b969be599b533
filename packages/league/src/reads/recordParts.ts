import { marksBetween } from '@pit/market/markReads'
import type { Sql } from '@pit/platform/db'
import { minedBetween } from '@pit/relay/tradeReads'
import {
  ENTRIES_PER_PART,
  type EntriesPart,
  type MarksPart,
  type RawTrade,
  type RecordedEntry,
  type RecordSource,
  readLedger,
  readStake,
  type SeasonPart,
  type SeasonSpan,
} from '../rules/index.ts'
import { readSeason, spanOf } from '../season/store.ts'

const HOUR_S = 3_600
const IDS_PER_QUERY = 20_000

export const storedRecord = (sql: Sql): RecordSource => ({
  season: (number) => readSeasonPart(sql, number),
  entries: (number, page) => readEntriesPart(sql, number, page),
  marks: (number, token) => readMarksPart(sql, number, token),
})

/** A decided season, or the reason there is none. */
async function readSeasonPart(sql: Sql, number: number): Promise<SeasonPart | { none: string }> {
  const season = await readSeason(sql, number)
  if (!season) return { none: `no season ${number}` }
  if (season.missed) return { none: `season ${number} was missed: nothing was recorded` }
  if (season.decided_at_s === null)
    return { none: `season ${number} is ${season.state}: there is nothing decided to verify` }
  const span = spanOf(season)
  const [count] = await sql.query<{ entries: number }>(
    `select count(*)::int4 as entries from league_standings where season = $1 and board = 'prize'`,
    [number],
  )
  return {
    span,
    decidedAtS: season.decided_at_s,
    rulesVersion: season.rules_version,
    outcome: season.outcome,
    entries: count?.entries ?? 0,
    samples: await sql.query('select at_s, block from league_samples where season = $1 order by at_s', [
      number,
    ]),
    ledger: await readLedger(sql, number),
    reserveBefore: await reserveBefore(sql, number),
    stakes: { start: await readStake(sql, span.startsAtS), end: await readStake(sql, span.endsAtS) },
  }
}

async function readEntriesPart(sql: Sql, number: number, page: number): Promise<EntriesPart> {
  const season = await readSeason(sql, number)
  const rows = await sql.query<RecordedEntry & { funded: string[] }>(
    `select e.id, e.wallet, e.token, e.left_at_s, r.row, r.facts,
       array[e.wallet, e.owner, e.agent_wallet] as funded
     from league_standings r join league_entries e on e.id = r.entry_id
     where r.season = $1 and r.board = 'prize' order by r.rank limit $2 offset $3`,
    [number, ENTRIES_PER_PART, page * ENTRIES_PER_PART],
  )
  if (!season || rows.length === 0) return { entries: [], trades: [], balances: [], funders: [] }
  return {
    entries: rows.map(({ funded: _, ...entry }) => entry),
    trades: await readTrades(sql, spanOf(season), [...new Set(rows.map(({ wallet }) => wallet))]),
    balances: await sql.query(
      `select entry_id, at_s, balances from league_balances where season = $1 and entry_id = any($2::int8[])
       order by at_s, entry_id`,
      [number, rows.map(({ id }) => id)],
    ),
    funders: await sql.query(
      `select address, funder, block, token from league_funders
       where funder is not null and block is not null and address = any($1::text[]) order by address`,
      [rows.flatMap(({ funded }) => funded)],
    ),
  }
}

async function readMarksPart(sql: Sql, number: number, token: string): Promise<MarksPart> {
  const season = await readSeason(sql, number)
  if (!season) return []
  const [fromS, toS] = [season.starts_at_s - HOUR_S + 1, season.ends_at_s]
  const marks = await marksBetween(sql, { token, fromS, toS, limit: toS - fromS })
  return marks.map(({ minuteS, priceE18 }) => [minuteS, String(priceE18)])
}

/** Leaves out trades that became final after the season was valued: the league rejected them. */
async function readTrades(
  sql: Sql,
  { startsAtS, endsAtS }: SeasonSpan,
  wallets: readonly string[],
): Promise<RawTrade[]> {
  const mined = await minedBetween(sql, { wallets, fromS: startsAtS, beforeS: endsAtS })
  const gasByTrade = new Map<number, string | null>()
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
      else gasByTrade.set(row.trade_id, row.gas_wei)
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
      gas_wei: gasByTrade.get(trade.id) ?? null,
      taken: gasByTrade.has(trade.id),
    }))
}

async function reserveBefore(sql: Sql, number: number): Promise<string> {
  const [row] = await sql.query<{ reserve_after: string | null }>(
    'select reserve_after from league_ledger where season < $1 order by season desc limit 1',
    [number],
  )
  return row?.reserve_after ?? '0'
}
