import type { Address } from '@pit/chain'
import type { Db, Sql } from '@pit/platform/db'
import { paidVolumeSince } from '@pit/relay'
import type { ModelAgent } from '../agent.ts'
import type { GatewayModel } from '../model/modelList.ts'
import {
  dayOf,
  type FundingHold,
  type FundingRequest,
  fundingHold,
  type PoolTerms,
  poolStanding,
  type SpendFacts,
  trialPoolOf,
  VOLUME_WINDOW_S,
} from './rules.ts'

export interface ReserveRequest extends FundingRequest {
  agent: Pick<ModelAgent, 'id' | 'wallet' | 'mode' | 'live' | 'intervalS'>
  /** The client network the agent was created from; null if unknown. */
  network: string | null
  tick: number
  model: GatewayModel
  atMs: number
}

export type Reserved = { id: number } | { hold: FundingHold }

export interface Settlement {
  status: 'ok' | 'invalid' | 'error' | 'hold'
  code: string | null
  promptTokens: number | null
  completionTokens: number | null
  costMicroUsd: bigint
  costSource: 'usage.cost' | 'header' | 'bound' | null
  ms: number
}

const OWNER_LOCK = 0x70697409
const TRIALS_LOCK = 0x7069740b

interface FactsRequest {
  wallet: Address
  agentId: string
  network: string | null
  atS: number
}

/** Today's facts of an owner and an agent; a reservation reads them under the owner's lock. */
export async function readFacts(sql: Sql, request: FactsRequest): Promise<SpendFacts> {
  const traded = await paidVolumeSince(sql, request.wallet, request.atS - VOLUME_WINDOW_S)
  return { ...traded, ...(await readDayFacts(sql, request)) }
}

/** The same without the month's trades, of which a busy owner has thousands. */
export async function readDayFacts(
  sql: Sql,
  request: FactsRequest,
): Promise<Omit<SpendFacts, keyof Awaited<ReturnType<typeof paidVolumeSince>>>> {
  const [row] = await sql.query<{
    trial: number | null
    agent: string
    pool: string
    own: string
    pool_day: number | null
    pool_trials: number | null
    trials_today: number
    trials_from_network: number
    other: string | null
  }>(
    `select spent.agent, spent.pool, spent.own,
       (select started_at_s from ai_trials where wallet = $1) as trial,
       (select used_micro_usd from ai_pool_days where day_s = $2) as pool_day,
       (select trial_micro_usd from ai_pool_days where day_s = $2) as pool_trials,
       (select count(*) from ai_trials where started_at_s >= $2) as trials_today,
       (select count(*) from ai_trials where started_at_s >= $2 and network = $4) as trials_from_network,
       (select agent_id from ai_pool_agents
        where day_s = $2 and wallet = $1 and agent_id <> $3 limit 1) as other
     from (select coalesce(sum(cost_micro_usd) filter (where agent_id = $3), 0) as agent,
         coalesce(sum(cost_micro_usd) filter (where source = 'pool'), 0) as pool,
         coalesce(sum(cost_micro_usd) filter (where source = 'own'), 0) as own
       from ai_spend where day_s = $2 and wallet = $1) as spent`,
    [request.wallet, dayOf(request.atS), request.agentId, request.network],
  )
  return {
    trialStartedAtS: row?.trial ?? null,
    trialsToday: row?.trials_today ?? 0,
    trialsFromNetwork: row?.trials_from_network ?? 0,
    agentUsedMicroUsd: BigInt(row?.agent ?? 0),
    ownerPoolUsedMicroUsd: BigInt(row?.pool ?? 0),
    ownerOwnUsedMicroUsd: BigInt(row?.own ?? 0),
    poolUsedMicroUsd: BigInt(row?.pool_day ?? 0),
    trialsUsedMicroUsd: BigInt(row?.pool_trials ?? 0),
    otherPoolAgent: row?.other ?? null,
  }
}

/**
 * Stores a call's worst case before the call is made. The owner's lock keeps two of its agents from both
 * taking the last of a share. The pool's row is updated last and only if the amount still fits, so owners do
 * not wait for each other. Starting a trial is serialized, because trials are counted.
 */
export function reserve(db: Db, request: ReserveRequest, terms: PoolTerms): Promise<Reserved> {
  const { agent, network, model, source, boundMicroUsd, atMs } = request
  const atS = Math.floor(atMs / 1_000)
  const dayS = dayOf(atS)
  return db
    .transaction(async (sql) => {
      await sql.query('select pg_advisory_xact_lock($1::int4, hashtext($2))', [OWNER_LOCK, agent.wallet])
      const look = async () => {
        const facts = await readFacts(sql, { wallet: agent.wallet, agentId: agent.id, network, atS })
        return { facts, standing: poolStanding(agent, model, facts, terms, atS) }
      }
      let { facts, standing } = await look()
      const isTrial = () => source === 'pool' && standing.eligible && standing.kind === 'trial'
      if (isTrial() && facts.trialStartedAtS === null) {
        await sql.query('select pg_advisory_xact_lock($1::int8)', [TRIALS_LOCK])
        ;({ facts, standing } = await look())
      }
      const hold = fundingHold(request, standing, facts, terms)
      if (hold !== undefined) return { hold }
      if (isTrial()) {
        await sql.query(
          `insert into ai_trials (wallet, started_at_s, network) values ($1, $2, $3)
           on conflict do nothing`,
          [agent.wallet, atS, network],
        )
      }
      const [row] = await sql.query<{ id: number }>(
        `insert into ai_spend (agent_id, wallet, tick, at_ms, day_s, source, model, status, cost_micro_usd,
           cost_source, trial)
         values ($1, $2, $3, $4, $5, $6, $7, 'reserved', $8, 'bound', $9) returning id`,
        [agent.id, agent.wallet, request.tick, atMs, dayS, source, model.id, boundMicroUsd, isTrial()],
      )
      const isFirst = facts.otherPoolAgent === null
      const taking = { agent, dayS, microUsd: boundMicroUsd, isTrial: isTrial(), isFirst }
      if (source === 'pool' && !(await takeFromPool(sql, taking, terms))) {
        throw new PoolSpent()
      }
      return { id: (row as { id: number }).id }
    })
    .catch((error: unknown): Reserved => {
      if (error instanceof PoolSpent) return { hold: 'AI_POOL_SPENT' }
      throw error
    })
}

/** Thrown to roll a reservation back: the pool was emptied since it was read. */
class PoolSpent extends Error {}

interface Taking {
  agent: Pick<ModelAgent, 'id' | 'wallet'>
  dayS: number
  microUsd: bigint
  isTrial: boolean
  /** The first agent of its owner that the pool pays for that day. */
  isFirst: boolean
}

/** Counts the agent and its owner once per day. */
async function takeFromPool(
  sql: Sql,
  { agent, dayS, microUsd, isTrial, isFirst }: Taking,
  terms: PoolTerms,
): Promise<boolean> {
  const updated = await sql.query(
    `with added as (
       insert into ai_pool_agents (day_s, wallet, agent_id) values ($1, $6, $7) on conflict do nothing
       returning 1)
     insert into ai_pool_days as d (day_s, used_micro_usd, trial_micro_usd, agents, owners)
     select $1, $2::int8, $3::int8, count(*), case when $8 then count(*) else 0 end from added
     on conflict (day_s) do update set used_micro_usd = d.used_micro_usd + excluded.used_micro_usd,
         trial_micro_usd = d.trial_micro_usd + excluded.trial_micro_usd,
         agents = d.agents + excluded.agents, owners = d.owners + excluded.owners
       where d.used_micro_usd + excluded.used_micro_usd <= $4
         and (excluded.trial_micro_usd = 0 or d.trial_micro_usd + excluded.trial_micro_usd <= $5)
     returning 1`,
    [
      dayS,
      microUsd,
      isTrial ? microUsd : 0n,
      terms.dayMicroUsd,
      trialPoolOf(terms),
      agent.wallet,
      agent.id,
      isFirst,
    ],
  )
  return updated.length > 0
}

/** Settles a reserved call. Settling the same row again changes nothing. */
export async function settle(db: Db, id: number, settled: Settlement): Promise<void> {
  await db.transaction(async (sql) => {
    const [row] = await sql.query<{ day_s: number; source: string; trial: boolean; bound: number }>(
      `with reserved as (
         select id, cost_micro_usd from ai_spend where id = $1 and status = 'reserved' for update)
       update ai_spend set status = $2, code = $3, prompt_tokens = $4, completion_tokens = $5,
         cost_micro_usd = $6, cost_source = $7, ms = $8
       from reserved where ai_spend.id = reserved.id
       returning ai_spend.day_s, ai_spend.source, ai_spend.trial, reserved.cost_micro_usd as bound`,
      [
        id,
        settled.status,
        settled.code,
        settled.promptTokens,
        settled.completionTokens,
        settled.costMicroUsd,
        settled.costSource,
        settled.ms,
      ],
    )
    if (row === undefined || row.source !== 'pool') return
    const more = settled.costMicroUsd - BigInt(row.bound)
    await sql.query(
      `update ai_pool_days set used_micro_usd = used_micro_usd + $2, trial_micro_usd = trial_micro_usd + $3
       where day_s = $1`,
      [row.day_s, more, row.trial ? more : 0n],
    )
  })
}

export interface NoCall {
  agent: Pick<ModelAgent, 'id' | 'wallet'>
  tick: number
  atMs: number
  source: 'pool' | 'own'
  model: string | null
  status: 'hold' | 'error'
  code: string
}

/** Stores a tick without a call, at no cost; repeats are stored once a day. */
export async function recordNoCall(sql: Sql, { agent, ...row }: NoCall): Promise<void> {
  await sql.query(
    `insert into ai_spend (agent_id, wallet, tick, at_ms, day_s, source, model, status, code, cost_micro_usd)
     select $1, $2, $3, $4, $5, $6, $7, $8, $9, 0
     where not exists (
       select 1 from (
         select status, code, day_s from ai_spend where agent_id = $1 order by id desc limit 1) as last
       where last.status = $8 and last.code = $9 and last.day_s = $5)`,
    [
      agent.id,
      agent.wallet,
      row.tick,
      row.atMs,
      dayOf(Math.floor(row.atMs / 1_000)),
      row.source,
      row.model,
      row.status,
      row.code,
    ],
  )
}
