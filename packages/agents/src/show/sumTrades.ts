import type { Address } from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import type { Db, Sql } from '@pit/platform/db'
import { type SettledTrade, takeSettled } from '@pit/relay'
import { sessionParties } from '@pit/sessions'
import type { HostedDeps } from '../deps.ts'
import { agentsBySession } from '../executors.ts'
import type { FeeSums } from './liveTrades.ts'

/**
 * After this, a trade's block has been re-checked, its volume valued, and dropped trades are no longer being
 * sent.
 */
export const SUMMED_AFTER_S = 86_400
const AT_ONCE = 500
const MAX_ROUNDS = 20

/** Adds final trades to their agents' sums; the rest is added in the next run. */
export async function sumTrades({ db, clock }: Pick<HostedDeps, 'db' | 'clock'>): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    if ((await sumSome(db, nowS(clock) - SUMMED_AFTER_S)) < AT_ONCE) return
  }
}

/**
 * Processes a batch in one transaction: a trade is in the sums exactly if it is marked as summed. Trades of
 * other executors are marked too, so that they are not scanned again.
 */
const sumSome = (db: Db, beforeS: number): Promise<number> =>
  db.transaction(async (sql) => {
    const due = await takeSettled(sql, { beforeS, limit: AT_ONCE })
    const agentOf = await agentsOf(
      sql,
      due.flatMap(({ sessionId }) => sessionId ?? []),
    )
    const owned = due.flatMap((trade) => {
      const agentId = agentOf.get(trade.sessionId ?? '')
      return agentId === undefined ? [] : [{ ...trade, agentId }]
    })
    await addTrades(sql, owned)
    await addFees(
      sql,
      owned.flatMap(({ agentId, fee }) => (fee ? [{ agentId, ...fee }] : [])),
    )
    return due.length
  })

/** The agent whose executor each session was granted to. */
async function agentsOf(sql: Sql, sessionIds: readonly string[]): Promise<Map<string, string>> {
  const sessions = await sessionParties(sql, [...new Set(sessionIds)])
  const rows = await sql.query<{ executor: Address; agent_id: string; owner: Address }>(
    'select executor, agent_id, owner from hosted_executors where executor = any($1::text[])',
    [sessions.map(({ executor }) => executor)],
  )
  return agentsBySession(rows, sessions)
}

/** Sorted, so that two processes adding to the same sums do not deadlock. */
async function addTrades(sql: Sql, trades: readonly (SettledTrade & { agentId: string })[]): Promise<void> {
  const column = <T>(read: (trade: SettledTrade & { agentId: string }) => T): T[] => trades.map(read)
  await sql.query(
    `insert into hosted_trade_sums as sums
     select agent_id, status, token_in, token_out, count(*), coalesce(sum(amount_in::numeric), 0),
       coalesce(sum(amount_out::numeric), 0), coalesce(sum(volume::numeric), 0), min(at_ms), max(at_ms)
     from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
       $8::int8[])
       as given (agent_id, status, token_in, token_out, amount_in, amount_out, volume, at_ms)
     group by agent_id, status, token_in, token_out order by agent_id, status, token_in, token_out
     on conflict (agent_id, status, token_in, token_out) do update set
       trades = sums.trades + excluded.trades,
       amount_in = sums.amount_in + excluded.amount_in,
       amount_out = sums.amount_out + excluded.amount_out,
       volume_micro_usd = sums.volume_micro_usd + excluded.volume_micro_usd,
       first_at_ms = least(sums.first_at_ms, excluded.first_at_ms),
       last_at_ms = greatest(sums.last_at_ms, excluded.last_at_ms)`,
    [
      column(({ agentId }) => agentId),
      column(({ status }) => status),
      column(({ tokenIn }) => tokenIn),
      column(({ tokenOut }) => tokenOut),
      column(({ amountIn }) => amountIn?.toString() ?? null),
      column(({ amountOut }) => amountOut?.toString() ?? null),
      column(({ volumeMicroUsd }) => volumeMicroUsd?.toString() ?? null),
      column(({ createdAtMs }) => createdAtMs),
    ],
  )
}

async function addFees(sql: Sql, fees: readonly FeeSums[]): Promise<void> {
  await sql.query(
    `insert into hosted_fee_sums as sums
     select agent_id, token, sum(atoms::numeric)
     from unnest($1::text[], $2::text[], $3::text[]) as given (agent_id, token, atoms)
     group by agent_id, token order by agent_id, token
     on conflict (agent_id, token) do update set atoms = sums.atoms + excluded.atoms`,
    [
      fees.map(({ agentId }) => agentId),
      fees.map(({ token }) => token),
      fees.map(({ atoms }) => atoms.toString()),
    ],
  )
}
