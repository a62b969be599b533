import type { Address } from '@pit/chain'
import type { Sql } from '@pit/platform/db'
import type { TradeStatus } from './types.ts'

/** Trades of hosted agents by session: those already summed and those not yet. */

export interface SettledTrade {
  id: number
  sessionId: string | null
  status: 'mined' | 'reverted' | 'dropped'
  tokenIn: Address
  tokenOut: Address
  amountIn: bigint | null
  amountOut: bigint | null
  volumeMicroUsd: bigint | null
  createdAtMs: number
  fee: { token: Address; atoms: bigint } | null
}

interface SettledRow {
  id: number
  session_id: string | null
  status: SettledTrade['status']
  token_in: Address
  token_out: Address
  amount_in: string | null
  amount_out: string | null
  volume_micro_usd: string | null
  created_at_ms: number
  fee_token: Address | null
  fee_atoms: string | null
}

const SUMMED = `id, session_id, status, token_in, token_out, amount_in, amount_out, volume_micro_usd,
  created_at_ms`
const SETTLED = `path = 'hosted' and kind = 'swap' and not summed and settled`

/**
 * Returns a batch of mined or dropped trades from before a time that are final, each once; exactly-once holds
 * through the caller's database transaction.
 */
export async function takeSettled(
  sql: Sql,
  { beforeS, limit }: { beforeS: number; limit: number },
): Promise<SettledTrade[]> {
  const rows = await sql.query<SettledRow>(
    `with ended as (
       select ${SUMMED} from trades
       where ${SETTLED} and mined_at_s < $1 and (status = 'reverted' or (status = 'mined'
         and (volume_token is null or volume_micro_usd is not null)))
       order by mined_at_s limit $2 for update skip locked),
     dropped as (
       select ${SUMMED} from trades
       where ${SETTLED} and status = 'dropped' and created_at_ms < $1::int8 * 1000
       order by created_at_ms limit $2 for update skip locked),
     due as (select * from ended union all select * from dropped),
     marked as (
       update trades set summed = true from due where trades.id = due.id)
     select due.*, fees.token as fee_token, fees.atoms as fee_atoms
     from due left join fees on fees.trade_id = due.id`,
    [beforeS, limit],
  )
  const atoms = (text: string | null): bigint | null => (text === null ? null : BigInt(text))
  return rows.map((row) => ({
    id: row.id,
    sessionId: row.session_id,
    status: row.status,
    tokenIn: row.token_in,
    tokenOut: row.token_out,
    amountIn: atoms(row.amount_in),
    amountOut: atoms(row.amount_out),
    volumeMicroUsd: atoms(row.volume_micro_usd),
    createdAtMs: row.created_at_ms,
    fee: row.fee_token === null ? null : { token: row.fee_token, atoms: BigInt(row.fee_atoms!) },
  }))
}

/** Trades of one session, pair and outcome. */
export interface UnsummedTrades {
  sessionId: string
  status: TradeStatus
  tokenIn: Address
  tokenOut: Address
  trades: number
  amountIn: bigint
  amountOut: bigint
  volumeMicroUsd: bigint
  firstAtMs: number
  lastAtMs: number
}

/** Not summed yet; refused trades never count. */
const UNSUMMED = `t.session_id = any($1::text[]) and t.path = 'hosted' and t.kind = 'swap' and not t.summed
  and t.status <> 'refused'`

export async function unsummedTrades(sql: Sql, sessionIds: readonly string[]): Promise<UnsummedTrades[]> {
  const rows = await sql.query<{
    session_id: string
    status: TradeStatus
    token_in: Address
    token_out: Address
    trades: number
    amount_in: string
    amount_out: string
    volume: string
    first_at_ms: number
    last_at_ms: number
  }>(
    `select t.session_id, t.status, t.token_in, t.token_out, count(*) as trades,
       coalesce(sum(t.amount_in), 0) as amount_in, coalesce(sum(t.amount_out), 0) as amount_out,
       coalesce(sum(t.volume_micro_usd), 0) as volume, min(t.created_at_ms) as first_at_ms,
       max(t.created_at_ms) as last_at_ms
     from trades t where ${UNSUMMED} group by t.session_id, t.status, t.token_in, t.token_out`,
    [sessionIds],
  )
  return rows.map((row) => ({
    sessionId: row.session_id,
    status: row.status,
    tokenIn: row.token_in,
    tokenOut: row.token_out,
    trades: row.trades,
    amountIn: BigInt(row.amount_in),
    amountOut: BigInt(row.amount_out),
    volumeMicroUsd: BigInt(row.volume),
    firstAtMs: row.first_at_ms,
    lastAtMs: row.last_at_ms,
  }))
}

export async function unsummedFees(
  sql: Sql,
  sessionIds: readonly string[],
): Promise<{ sessionId: string; token: Address; atoms: bigint }[]> {
  const rows = await sql.query<{ session_id: string; token: Address; atoms: string }>(
    `select t.session_id, f.token, sum(f.atoms) as atoms from trades t join fees f on f.trade_id = t.id
     where ${UNSUMMED} group by t.session_id, f.token`,
    [sessionIds],
  )
  return rows.map(({ session_id, token, atoms }) => ({ sessionId: session_id, token, atoms: BigInt(atoms) }))
}
