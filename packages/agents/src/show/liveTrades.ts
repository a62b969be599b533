import type { Address } from '@pit/chain'
import type { Sql } from '@pit/platform/db'

/** What an agent's live trades did, by pair and outcome. */
export interface TradeSums {
  agentId: string
  status: 'relaying' | 'pending' | 'mined' | 'reverted' | 'dropped' | 'refused'
  tokenIn: Address
  tokenOut: Address
  trades: number
  amountIn: bigint
  amountOut: bigint
  volumeMicroUsd: bigint
  firstAtMs: number
  lastAtMs: number
}

interface Row {
  agent_id: string
  status: TradeSums['status']
  token_in: Address
  token_out: Address
  trades: number
  amount_in: string
  amount_out: string
  volume: string
  first_at_ms: number
  last_at_ms: number
}

/** Every session of every executor an agent ever had, as far as it is in no sum yet; refusals never left. */
const UNSUMMED = `from hosted_executors e
  join sessions s on s.wallet = e.owner and s.executor = e.executor
  join trades t on t.session_id = s.id and t.path = 'hosted' and t.kind = 'swap' and not t.summed
    and t.status <> 'refused'
  where e.agent_id = any($1::text[])`

/** Of many agents in one read: what was summed, and the trades since. One statement, so that none is in both. */
export async function readTradeSums(sql: Sql, agentIds: readonly string[]): Promise<TradeSums[]> {
  if (agentIds.length === 0) return []
  const rows = await sql.query<Row>(
    `select agent_id, status, token_in, token_out, sum(trades)::int8 as trades, sum(amount_in)::numeric as amount_in,
       sum(amount_out)::numeric as amount_out, sum(volume)::numeric as volume, min(first_at_ms) as first_at_ms,
       max(last_at_ms) as last_at_ms
     from (
       select agent_id, status, token_in, token_out, trades, amount_in, amount_out, volume_micro_usd as volume,
         first_at_ms, last_at_ms
       from hosted_trade_sums where agent_id = any($1::text[])
       union all
       select e.agent_id, t.status, t.token_in, t.token_out, count(*), coalesce(sum(t.amount_in), 0),
         coalesce(sum(t.amount_out), 0), coalesce(sum(t.volume_micro_usd), 0), min(t.created_at_ms),
         max(t.created_at_ms)
       ${UNSUMMED} group by e.agent_id, t.status, t.token_in, t.token_out
     ) as parts
     group by agent_id, status, token_in, token_out`,
    [agentIds],
  )
  return rows.map((row) => ({
    agentId: row.agent_id,
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

export interface FeeSums {
  agentId: string
  token: Address
  atoms: bigint
}

export async function readFeeSums(sql: Sql, agentIds: readonly string[]): Promise<FeeSums[]> {
  if (agentIds.length === 0) return []
  const rows = await sql.query<{ agent_id: string; token: Address; atoms: string }>(
    `select agent_id, token, sum(atoms)::numeric as atoms
     from (
       select agent_id, token, atoms from hosted_fee_sums where agent_id = any($1::text[])
       union all
       select unsummed.agent_id, f.token, f.atoms
       from (select e.agent_id, t.id ${UNSUMMED}) as unsummed join fees f on f.trade_id = unsummed.id
     ) as parts
     group by agent_id, token`,
    [agentIds],
  )
  return rows.map(({ agent_id, token, atoms }) => ({ agentId: agent_id, token, atoms: BigInt(atoms) }))
}
