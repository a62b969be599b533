import type { Address } from '@pit/chain'
import type { Sql } from '@pit/platform/db'

export interface StoredTrade {
  id: number
  path: 'agent' | 'session' | 'hosted' | 'fast'
  status: 'relaying' | 'pending' | 'mined' | 'reverted' | 'dropped' | 'refused'
  code: string | null
  token_in: Address
  token_out: Address
  amount_in: string | null
  amount_out: string | null
  amount_out_kind: 'actual' | 'minimum' | null
  amount_out_min: string | null
  tx_hash: string | null
  block: number | null
  session_id: string | null
  created_at_ms: number
}

const SHOWN = ['relaying', 'pending', 'mined', 'reverted']
const NEVER_MINED = ['dropped', 'refused']
/** As text: it exceeds the range of a number. */
const LARGEST_ID = '9223372036854775807'

/**
 * Every page starts at its position in the index (wallet, id desc). The wallet is a one-element range, not an
 * equality: with an equality the planner ignores the order and, for a wallet with many trades, scans all
 * wallets' rows by id. `id < $2` stands alone, since "or $2 is null" would start every page at the newest row.
 */
export const TRADES_PAGE = `select id, path, status, code, token_in, token_out, amount_in, amount_out,
    amount_out_kind, amount_out_min, tx_hash, block, session_id, created_at_ms
  from trades
  where wallet between $1 and $1 and id < $2::int8 and kind = 'swap' and status = any($3::text[])
    and token_in is not null and token_out is not null
  order by wallet, id desc limit $4`

export interface PageTerms {
  wallet: Address
  before: number | undefined
  withNeverMined: boolean
  limit: number
}
export const pageValues = ({ wallet, before, withNeverMined, limit }: PageTerms): unknown[] => [
  wallet,
  before ?? LARGEST_ID,
  withNeverMined ? [...SHOWN, ...NEVER_MINED] : SHOWN,
  limit,
]

/** Newest first. */
export const tradesPage = (sql: Sql, terms: PageTerms): Promise<StoredTrade[]> =>
  sql.query<StoredTrade>(TRADES_PAGE, pageValues(terms))

/** Only mined and priced trades have a volume; an index-only query. */
export const VOLUME_SINCE = `select coalesce(sum(volume_micro_usd), 0) as volume from trades
  where wallet = $1 and mined_at_s > $2 and volume_micro_usd is not null`

export async function volumeSince(sql: Sql, wallet: Address, sinceS: number): Promise<bigint> {
  const [row] = await sql.query<{ volume: string }>(VOLUME_SINCE, [wallet, sinceS])
  return BigInt(row?.volume ?? 0)
}

/**
 * The tokens a wallet traded, most recent first, without the excluded ones. Pending trades are among the newest
 * rows; mined tokens are stored per token.
 */
export async function tradedTokens(
  sql: Sql,
  { wallet, except, max }: { wallet: Address; except: readonly Address[]; max: number },
): Promise<Address[]> {
  const rows = await sql.query<{ token: Address }>(
    `with newest as (
       select id, kind, status, token_in, token_out from trades
       where wallet between $1 and $1 order by wallet, id desc limit ${NEWEST}),
     traded as (
       select token, last_id from traded_tokens where wallet = $1
       union all
       select token, id from newest cross join lateral unnest(array[token_in, token_out]) as token
       where kind = 'swap' and status in ('relaying', 'pending', 'mined'))
     select token from traded where token <> all($2::text[])
     group by token order by max(last_id) desc limit $3`,
    [wallet, except, max],
  )
  return rows.map(({ token }) => token)
}
const NEWEST = 100

export interface RefusedRow {
  wallet: Address
  keyId: number
  path: StoredTrade['path']
  sessionId: string | null
  code: string
  tokenIn: Address
  tokenOut: Address
  amountIn: bigint | null
  amountOutMin: bigint | null
  atMs: number
}

export async function addRefused(sql: Sql, rows: readonly RefusedRow[]): Promise<void> {
  const column = <K extends keyof RefusedRow>(name: K) => rows.map((row) => row[name])
  const atoms = (name: 'amountIn' | 'amountOutMin') => column(name).map((value) => value?.toString() ?? null)
  await sql.query(
    `insert into trades (kind, status, wallet, key_id, path, session_id, code, token_in, token_out, amount_in,
       amount_out_min, created_at_ms)
     select 'swap', 'refused', wallet, key_id, path, session_id, code, token_in, token_out,
       amount_in::numeric, amount_out_min::numeric, created_at_ms
     from unnest($1::text[], $2::int8[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
         $8::text[], $9::text[], $10::int8[]) with ordinality
       as given (wallet, key_id, path, session_id, code, token_in, token_out, amount_in, amount_out_min,
         created_at_ms, place)
     order by place`,
    [
      column('wallet'),
      column('keyId'),
      column('path'),
      column('sessionId'),
      column('code'),
      column('tokenIn'),
      column('tokenOut'),
      atoms('amountIn'),
      atoms('amountOutMin'),
      column('atMs'),
    ],
  )
}

/**
 * Deletes all but the newest refused calls of each wallet; a large backlog in steps. Only calls without a hash:
 * a signed transaction may still be mined although the sequencer refused it.
 */
export async function trimRefused(sql: Sql, wallets: readonly Address[], keep: number): Promise<void> {
  await sql.query(
    `delete from trades where id = any (array(
       select old.id from unnest($1::text[]) as given (wallet)
       cross join lateral (
         select id from trades where wallet between given.wallet and given.wallet and status = 'refused'
           and tx_hash is null
         order by wallet, id desc offset $2 limit 2000) as old))`,
    [wallets, keep],
  )
}

/** Deletes a batch of refused calls from before a time; returns how many. */
export async function deleteRefusedBefore(sql: Sql, beforeMs: number, atOnce: number): Promise<number> {
  const deleted = await sql.query(
    `delete from trades where id = any (array(
       select id from trades where status = 'refused' and tx_hash is null and created_at_ms < $1
       order by created_at_ms limit $2)) returning 1`,
    [beforeMs, atOnce],
  )
  return deleted.length
}
