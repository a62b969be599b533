import { nowS } from '@pit/platform/clock'
import type { Sql } from '@pit/platform/db'
import type { HostedDeps } from '../deps.ts'

/** By then a trade's block was looked at again and its volume valued: no reading from before that is still under way. */
export const SUMMED_AFTER_S = 86_400
const AT_ONCE = 500
const MOST_ROUNDS = 20

/** Adds trades that nothing changes any more to their agents' sums; what is left over is added the next time. */
export async function sumTrades({ db, clock }: Pick<HostedDeps, 'db' | 'clock'>): Promise<void> {
  for (let round = 0; round < MOST_ROUNDS; round++) {
    if ((await sumSome(db, nowS(clock) - SUMMED_AFTER_S)) < AT_ONCE) return
  }
}

/**
 * Some of those mined before a time, in one statement: a trade is in the sums exactly when it is marked as summed. One
 * whose executor is no agent's is marked too, or it would be looked at for ever. In one order, or two processes that add
 * to the same sums would wait for each other.
 */
async function sumSome(sql: Sql, minedBeforeS: number): Promise<number> {
  const [row] = await sql.query<{ summed: number }>(
    `with due as (
       select id, session_id, status, token_in, token_out, amount_in, amount_out, volume_micro_usd, created_at_ms
       from trades
       where path = 'hosted' and kind = 'swap' and not summed and settled and mined_at_s < $1
         and (status = 'reverted' or (status = 'mined' and (volume_token is null or volume_micro_usd is not null)))
       order by mined_at_s limit $2 for update skip locked),
     marked as (
       update trades set summed = true from due where trades.id = due.id),
     owned as (
       select e.agent_id, due.* from due
       join sessions s on s.id = due.session_id
       join hosted_executors e on e.executor = s.executor and e.owner = s.wallet),
     traded as (
       insert into hosted_trade_sums as sums
       select agent_id, status, token_in, token_out, count(*), coalesce(sum(amount_in), 0),
         coalesce(sum(amount_out), 0), coalesce(sum(volume_micro_usd), 0), min(created_at_ms), max(created_at_ms)
       from owned group by agent_id, status, token_in, token_out
       order by agent_id, status, token_in, token_out
       on conflict (agent_id, status, token_in, token_out) do update set
         trades = sums.trades + excluded.trades,
         amount_in = sums.amount_in + excluded.amount_in,
         amount_out = sums.amount_out + excluded.amount_out,
         volume_micro_usd = sums.volume_micro_usd + excluded.volume_micro_usd,
         first_at_ms = least(sums.first_at_ms, excluded.first_at_ms),
         last_at_ms = greatest(sums.last_at_ms, excluded.last_at_ms)),
     paid as (
       insert into hosted_fee_sums as sums
       select owned.agent_id, fees.token, sum(fees.atoms) from owned join fees on fees.trade_id = owned.id
       group by owned.agent_id, fees.token order by owned.agent_id, fees.token
       on conflict (agent_id, token) do update set atoms = sums.atoms + excluded.atoms)
     select count(*)::int4 as summed from due`,
    [minedBeforeS, AT_ONCE],
  )
  return row?.summed ?? 0
}
