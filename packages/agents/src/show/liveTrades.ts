import type { Address } from '@pit/chain'
import type { Db, Sql } from '@pit/platform/db'
import { type UnsummedTrades, unsummedFees, unsummedTrades } from '@pit/relay'
import { sessionsGrantedTo } from '@pit/sessions'
import { agentsBySession } from '../executors.ts'

/** Sums of an agent's live trades, by pair and outcome. */
export type TradeSums = Omit<UnsummedTrades, 'sessionId'> & { agentId: string }

export interface FeeSums {
  agentId: string
  token: Address
  atoms: bigint
}

export interface LiveSums {
  trades: TradeSums[]
  fees: FeeSums[]
}

/** Stored sums plus later trades of many agents, in one snapshot so that no trade counts twice. */
export async function readLiveSums(db: Db, agentIds: readonly string[]): Promise<LiveSums> {
  if (agentIds.length === 0) return { trades: [], fees: [] }
  return db.transaction(
    async (sql) => {
      const agentOf = await sessionsOfAgents(sql, agentIds)
      const sessionIds = [...agentOf.keys()]
      const ofAgent = <T extends { sessionId: string }>({ sessionId, ...sums }: T) => ({
        agentId: agentOf.get(sessionId)!,
        ...sums,
      })
      const trades = (await unsummedTrades(sql, sessionIds)).map(ofAgent)
      const fees = (await unsummedFees(sql, sessionIds)).map(ofAgent)
      return {
        trades: addUp([...(await summedTrades(sql, agentIds)), ...trades], tradeKey, addTrades),
        fees: addUp([...(await summedFees(sql, agentIds)), ...fees], feeKey, addFees),
      }
    },
    { snapshot: true },
  )
}

/** Every session of every executor these agents ever had, with its agent. */
async function sessionsOfAgents(sql: Sql, agentIds: readonly string[]): Promise<Map<string, string>> {
  const executors = await sql.query<{ executor: Address; agent_id: string; owner: Address }>(
    'select executor, agent_id, owner from hosted_executors where agent_id = any($1::text[])',
    [agentIds],
  )
  const sessions = await sessionsGrantedTo(
    sql,
    executors.map(({ executor }) => executor),
  )
  return agentsBySession(executors, sessions)
}

async function summedTrades(sql: Sql, agentIds: readonly string[]): Promise<TradeSums[]> {
  const rows = await sql.query<{
    agent_id: string
    status: TradeSums['status']
    token_in: Address
    token_out: Address
    trades: number
    amount_in: string
    amount_out: string
    volume_micro_usd: string
    first_at_ms: number
    last_at_ms: number
  }>('select * from hosted_trade_sums where agent_id = any($1::text[])', [agentIds])
  return rows.map((row) => ({
    agentId: row.agent_id,
    status: row.status,
    tokenIn: row.token_in,
    tokenOut: row.token_out,
    trades: row.trades,
    amountIn: BigInt(row.amount_in),
    amountOut: BigInt(row.amount_out),
    volumeMicroUsd: BigInt(row.volume_micro_usd),
    firstAtMs: row.first_at_ms,
    lastAtMs: row.last_at_ms,
  }))
}

async function summedFees(sql: Sql, agentIds: readonly string[]): Promise<FeeSums[]> {
  const rows = await sql.query<{ agent_id: string; token: Address; atoms: string }>(
    'select agent_id, token, atoms from hosted_fee_sums where agent_id = any($1::text[])',
    [agentIds],
  )
  return rows.map(({ agent_id, token, atoms }) => ({ agentId: agent_id, token, atoms: BigInt(atoms) }))
}

/** Merges parts with the same key. */
function addUp<T>(parts: readonly T[], keyOf: (part: T) => string, add: (sum: T, part: T) => T): T[] {
  const sums = new Map<string, T>()
  for (const part of parts) {
    const key = keyOf(part)
    const sum = sums.get(key)
    sums.set(key, sum === undefined ? part : add(sum, part))
  }
  return [...sums.values()]
}

const tradeKey = ({ agentId, status, tokenIn, tokenOut }: TradeSums): string =>
  `${agentId} ${status} ${tokenIn} ${tokenOut}`
const addTrades = (sum: TradeSums, part: TradeSums): TradeSums => ({
  ...sum,
  trades: sum.trades + part.trades,
  amountIn: sum.amountIn + part.amountIn,
  amountOut: sum.amountOut + part.amountOut,
  volumeMicroUsd: sum.volumeMicroUsd + part.volumeMicroUsd,
  firstAtMs: Math.min(sum.firstAtMs, part.firstAtMs),
  lastAtMs: Math.max(sum.lastAtMs, part.lastAtMs),
})

const feeKey = ({ agentId, token }: FeeSums): string => `${agentId} ${token}`
const addFees = (sum: FeeSums, part: FeeSums): FeeSums => ({ ...sum, atoms: sum.atoms + part.atoms })
