import type { Address } from '@pit/chain'
import type { Sql } from '@pit/platform/db'
import { NATIVE_TOKEN } from '@pit/protocol'
import { sumTaken, sumUntaken, takeFees } from '@pit/relay'
import type { Match } from './rules/reconcile.ts'
import type { BlockRange, EthBy } from './types.ts'

/** Maximum number of new ledger-only tokens per row; the others wait for the next. */
const MAX_LEDGER_TOKENS = 200

export interface MatchRequest extends BlockRange {
  wallet: Address
  /** Tokens whose transfers are read. */
  readTokens: readonly Address[]
  /** Whether to include unrecorded amounts of earlier blocks: only the first unrecorded row does. */
  withEarlier: boolean
}

export interface Matched {
  matches: Match[]
  eth: EthBy
  late: number
}

/**
 * Matches unrecorded fees with unrecorded incoming amounts of the same blocks. Matching ones are summed in
 * SQL, since a week may have a million of them.
 */
export async function readMatches(sql: Sql, request: MatchRequest): Promise<Matched> {
  const byTx = await matchByTx(sql, request)
  const ranges = await readRanges(sql, request)
  const matches: Match[] = await matchByLedger(sql, request)
  let late = 0
  for (const row of byTx) {
    const { token, trades, transfers } = row
    const match = { token, ledger: BigInt(row.ledger), trades, transfers }
    if (row.class === 'late') late += trades
    else if (row.class === 'unread') matches.push({ ...match, arrived: null })
    else if (row.class === 'range') {
      matches.push({ ...match, arrived: ranges.get(row.range_id!) ?? 0n, transfers: 1 })
      ranges.delete(row.range_id!)
    } else matches.push({ ...match, arrived: BigInt(row.arrived ?? 0) })
  }
  for (const atoms of ranges.values()) {
    if (atoms > 0n) matches.push({ token: NATIVE_TOKEN, ledger: 0n, trades: 0, arrived: atoms, transfers: 1 })
  }
  return { matches, eth: await ethBy(sql, request), late }
}

interface TxRow {
  token: Address
  class: 'exact' | 'stranger' | 'odd' | 'range' | 'unread' | 'late' | 'short'
  range_id: number | null
  ledger: string
  trades: number
  arrived: string | null
  transfers: number
}

/**
 * Returns differing transactions one by one. The only join over another package's table: a week may have a
 * million fees and a million transfers, too many to pass by id.
 */
function matchByTx(sql: Sql, request: MatchRequest): Promise<TxRow[]> {
  return sql.query<TxRow>(
    `with booked as (
       select tx_hash, token, sum(atoms) as ledger, count(*) as trades, min(block) as block from fees
       where recipient = $1 and treasury_seq is null and block between $2 and $4 and token = any($5)
       group by tx_hash, token),
     came as (
       select tx_hash, token, sum(atoms) as arrived from treasury_incomings
       where wallet = $1 and seq is null and to_block between $2 and $4 and tx_hash is not null
       group by tx_hash, token),
     beside as (
       select tx_hash, token, coalesce(ledger, 0) as ledger, coalesce(trades, 0) as trades, arrived, block
       from booked full join came using (tx_hash, token)),
     placed as (
       select beside.*, range.id as range_id,
         case when arrived is not null and trades = 0 then 'stranger'
           when arrived = ledger then 'exact'
           when arrived is not null then 'odd'
           when range.id is not null then 'range'
           when beside.token = '${NATIVE_TOKEN}' and exists (select 1 from treasury_unread u
             where u.wallet = $1 and beside.block between u.from_block and u.to_block) then 'unread'
           -- What a recorded row took up as outside; without that, it never came.
           when block < $3 and (exists (select 1 from treasury_incomings i
               where i.tx_hash = beside.tx_hash and i.token = beside.token and i.wallet = $1
               and i.seq is not null)
             or (beside.token = '${NATIVE_TOKEN}' and exists (select 1 from treasury_incomings i
               where i.wallet = $1 and i.how = 'balance' and i.seq is not null
                 and beside.block between i.from_block and i.to_block))) then 'late'
           else 'short' end as class
       from beside left join lateral (
         -- Ranges do not overlap: only the first that ends at the block or later can have it.
         select case when i.from_block <= beside.block then i.id end as id from treasury_incomings i
         where beside.arrived is null and beside.token = '${NATIVE_TOKEN}' and i.wallet = $1 and i.seq is null
           and i.how = 'balance' and i.to_block >= beside.block and i.to_block between $2 and $4
         order by i.to_block limit 1) as range on true)
     select token, class, range_id, sum(ledger) as ledger, sum(trades)::int4 as trades, sum(arrived)
     as arrived,
       count(*)::int4 as transfers
     from placed
     group by token, class, range_id, case when class in ('odd', 'short') then tx_hash end
     order by token, class, range_id`,
    [request.wallet, sinceOf(request), request.fromBlock, request.toBlock, request.readTokens],
  )
}

const sinceOf = ({ withEarlier, fromBlock }: MatchRequest): number => (withEarlier ? 0 : fromBlock)

/** ETH by balances. For a range that began in an earlier row, that row's fees are already subtracted. */
async function readRanges(sql: Sql, request: MatchRequest): Promise<Map<number, bigint>> {
  const rows = await sql.query<{ id: number; token: Address; atoms: string; from: number; to: number }>(
    `select id, token, atoms, from_block as from, to_block as to from treasury_incomings
     where wallet = $1 and seq is null and how = 'balance' and to_block between $2 and $3`,
    [request.wallet, sinceOf(request), request.toBlock],
  )
  const openRanges = rows.filter(({ from }) => from < request.fromBlock)
  const explained = await sumTaken(
    sql,
    request.wallet,
    openRanges.map(({ token, from, to }) => ({ token, fromBlock: from, toBlock: to })),
  )
  const ranges = new Map(rows.map(({ id, atoms }) => [id, BigInt(atoms)]))
  for (const [i, { id }] of openRanges.entries()) {
    const left = ranges.get(id)! - explained[i]!
    ranges.set(id, left > 0n ? left : 0n)
  }
  return ranges
}

/** Tokens whose transfers are not read, the longest waiting first. */
async function matchByLedger(sql: Sql, request: MatchRequest): Promise<Match[]> {
  const sums = await sumUntaken(sql, {
    recipient: request.wallet,
    fromBlock: sinceOf(request),
    toBlock: request.toBlock,
    except: request.readTokens,
    limit: MAX_LEDGER_TOKENS,
  })
  return sums.map(({ token, atoms, trades }) => ({
    token,
    ledger: atoms,
    trades,
    arrived: null,
    transfers: 0,
  }))
}

/** The least precise method by which ETH was read. */
async function ethBy(sql: Sql, { wallet, fromBlock, toBlock }: MatchRequest): Promise<EthBy> {
  const [sources] = await sql.query<{ unread: boolean; balance: boolean; trace: boolean }>(
    `select
       exists (select 1 from treasury_unread where wallet = $1 and from_block <= $3 and to_block >= $2)
       as unread,
       coalesce(bool_or(how = 'balance'), false) as balance, coalesce(bool_or(how = 'trace'), false) as trace
     from treasury_incomings
     where wallet = $1 and token = '${NATIVE_TOKEN}' and to_block between $2 and $3`,
    [wallet, fromBlock, toBlock],
  )
  if (sources?.unread) return 'ledger'
  return sources?.trace && !sources.balance ? 'trace' : 'balance'
}

/** Marks fees and incoming amounts as recorded in a row. */
export async function markTaken(
  sql: Sql,
  {
    wallet,
    toBlock,
    tokens,
    seq,
  }: { wallet: Address; toBlock: number; tokens: readonly Address[]; seq: number },
): Promise<void> {
  await takeFees(sql, { recipient: wallet, toBlock, tokens, seq })
  await sql.query(
    'update treasury_incomings set seq = $3 where wallet = $1 and seq is null and to_block <= $2',
    [wallet, toBlock, seq],
  )
}
