import type { Address } from '@pit/chain'
import type { Sql } from '@pit/platform/db'
import { fail, HOSTED } from '@pit/protocol'
import type { AttestedExecutor } from '@pit/signer-wire'
import { AGENT_COLUMNS, type AgentRow, agentOfRow } from './agentRow.ts'
import type { AgentRequest } from './deps.ts'
import type { HostedAgent, LastDecision, LastTrade, PauseReason } from './types.ts'

/** An agent with fields used only by its life and its owner. */
export interface StoredAgent extends HostedAgent {
  /** Version that a change is based on: see `changeAgent`. */
  revision: number
  executorAttestation: AttestedExecutor | null
  /**
   * Sessions granted before the last change of brain, pairs or limits; they cannot be attached. Null until
   * they are listed.
   */
  staleSessions: readonly string[] | null
  /** As stored by the last tick. */
  lastDecision: LastDecision | null
  lastTrade: LastTrade | null
  nextTickMs: number | null
  /** A tick is queued or running, or was when its worker died. */
  ticking: boolean
}

interface StoredRow extends AgentRow {
  executor_attestation: AttestedExecutor | null
  stale_sessions: string[] | null
  last_decision: LastDecision | null
  last_trade: LastTrade | null
  next_tick_ms: number | null
  ticking: boolean
}

const COLUMNS = `${AGENT_COLUMNS}, executor_attestation, stale_sessions, last_decision, last_trade, next_tick_ms,
  lease_until_ms is not null as ticking`

const agentOf = (row: StoredRow): StoredAgent => ({
  ...agentOfRow(row),
  executorAttestation: row.executor_attestation,
  staleSessions: row.stale_sessions,
  lastDecision: row.last_decision,
  lastTrade: row.last_trade,
  nextTickMs: row.next_tick_ms,
  ticking: row.ticking,
})

/** Includes deleted agents. */
export async function readAgent(sql: Sql, id: string): Promise<StoredAgent | null> {
  const [row] = await sql.query<StoredRow>(`select ${COLUMNS} from hosted_agents where id = $1`, [id])
  return row ? agentOf(row) : null
}

/** Throws NOT_FOUND for unknown and deleted agents, FORBIDDEN for another wallet's. */
export async function findOwned(sql: Sql, request: AgentRequest): Promise<StoredAgent> {
  const agent = await findOwnedOrDeleted(sql, request)
  return agent.deletedAtS === null ? agent : fail('NOT_FOUND', { message: 'This agent was deleted.' })
}

/** Includes deleted agents, for data that outlives them: the executor and its gas. */
export async function findOwnedOrDeleted(sql: Sql, { by, id }: AgentRequest): Promise<StoredAgent> {
  const agent = (await readAgent(sql, id)) ?? fail('NOT_FOUND', { message: 'Unknown agent.' })
  return agent.wallet === by.wallet ? agent : fail('FORBIDDEN')
}

/** Newest first, without deleted ones. */
export async function listAgents(sql: Sql, wallet: Address): Promise<StoredAgent[]> {
  const rows = await sql.query<StoredRow>(
    `select ${COLUMNS} from hosted_agents where wallet = $1 and deleted_at_s is null
     order by created_at_s desc, id limit $2`,
    [wallet, HOSTED.maxAgentsPerWallet],
  )
  return rows.map(agentOf)
}

/** Live agents with a model that are not stopped; their rows stay locked until the transaction ends. */
export async function listLiveModels(sql: Sql, wallet: Address): Promise<StoredAgent[]> {
  const rows = await sql.query<StoredRow>(
    `select ${COLUMNS} from hosted_agents
     where wallet = $1 and brain = 'partner_llm' and mode = 'live' and status <> 'stopped'
       and deleted_at_s is null
     order by id for update`,
    [wallet],
  )
  return rows.map(agentOf)
}

const WALLET_LOCK = 0x70697408

/** Held until the transaction ends, so that two concurrent creations do not both take the last slot. */
export async function lockWallet(sql: Sql, wallet: Address): Promise<void> {
  await sql.query('select pg_advisory_xact_lock($1::int4, hashtext($2))', [WALLET_LOCK, wallet])
}

export async function countAgents(sql: Sql, wallet: Address): Promise<number> {
  const [row] = await sql.query<{ agents: number }>(
    'select count(*) as agents from hosted_agents where wallet = $1 and deleted_at_s is null',
    [wallet],
  )
  return row?.agents ?? 0
}

/** Agents created since then, including deleted ones, and when the oldest was created. */
export async function countMade(
  sql: Sql,
  wallet: Address,
  sinceS: number,
): Promise<{ made: number; firstAtS: number | null }> {
  const [row] = await sql.query<{ made: number; first_at_s: number | null }>(
    `select count(*) as made, min(created_at_s) as first_at_s from hosted_agents
     where wallet = $1 and created_at_s > $2`,
    [wallet, sinceS],
  )
  return { made: row?.made ?? 0, firstAtS: row?.first_at_s ?? null }
}

export type NewAgent = Omit<
  StoredAgent,
  | 'revision'
  | 'staleSessions'
  | 'lastDecision'
  | 'lastTrade'
  | 'brainState'
  | 'tick'
  | 'ticking'
  | 'stoppedAtS'
  | 'deletedAtS'
> & { webhookSecret: Uint8Array | null; requestHash: string | null; madeFrom: string | null }

export async function insertAgent(sql: Sql, agent: NewAgent): Promise<void> {
  await sql.query(
    `insert into hosted_agents (id, wallet, key_id, name, brain, params, interval_s, pairs, tokens,
       max_trade_micro_usd, max_day_micro_usd, max_position_micro_usd, mode, live, status, pause_reason,
       accept_risks, shield, policies, session_id, executor, executor_attestation, webhook_secret, book_id,
       created_at_s, next_tick_ms, request_hash, made_from)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21,
       $22, $23, $24, $25, $26, $27, $28)`,
    [
      agent.id,
      agent.wallet,
      agent.keyId,
      agent.name,
      agent.brain,
      JSON.stringify(agent.params),
      agent.intervalS,
      agent.pairs,
      JSON.stringify(agent.tokens),
      agent.limits.maxTradeMicroUsd,
      agent.limits.maxDayMicroUsd,
      agent.limits.maxPositionMicroUsd,
      agent.mode,
      agent.live,
      agent.status,
      json(agent.pauseReason),
      agent.terms.acceptRisks,
      agent.terms.shield,
      agent.terms.policies,
      agent.sessionId,
      agent.executor,
      json(agent.executorAttestation),
      agent.webhookSecret,
      agent.bookId,
      agent.createdAtS,
      agent.nextTickMs,
      agent.requestHash,
      agent.madeFrom,
    ],
  )
}

/** Hash of the request that created it, if it had a client_id. */
export async function requestHashOf(sql: Sql, id: string): Promise<string | null> {
  const [row] = await sql.query<{ request_hash: string | null }>(
    'select request_hash from hosted_agents where id = $1',
    [id],
  )
  return row?.request_hash ?? null
}

/** Changed fields; absent ones stay. */
export type AgentPatch = Partial<
  Pick<
    StoredAgent,
    | 'name'
    | 'brain'
    | 'params'
    | 'intervalS'
    | 'pairs'
    | 'tokens'
    | 'limits'
    | 'terms'
    | 'live'
    | 'status'
    | 'pauseReason'
    | 'sessionId'
    | 'executor'
    | 'executorAttestation'
    | 'staleSessions'
    | 'brainState'
    | 'lastDecision'
    | 'stoppedAtS'
    | 'deletedAtS'
    | 'nextTickMs'
  >
> & { webhookSecret?: Uint8Array | null }

/** False if the agent changed since it was read; the caller then decides again. */
export async function changeAgent(
  sql: Sql,
  { id, revision }: Pick<StoredAgent, 'id' | 'revision'>,
  patch: AgentPatch,
): Promise<boolean> {
  const columns = columnsOf(patch)
  const sets = columns.map(([name], i) => `${name} = $${i + 3}`)
  const rows = await sql.query(
    `update hosted_agents set ${[...sets, 'revision = revision + 1'].join(', ')}
     where id = $1 and revision = $2 returning id`,
    [id, revision, ...columns.map(([, value]) => value)],
  )
  return rows.length === 1
}

function columnsOf({ limits, terms, ...patch }: AgentPatch): [string, unknown][] {
  const columns: [string, unknown][] = []
  for (const [field, value] of Object.entries(patch)) {
    if (value === undefined) continue
    const { name, isJson } = COLUMN_OF[field as keyof typeof COLUMN_OF]
    columns.push([name, isJson ? json(value) : value])
  }
  if (limits) {
    columns.push(['max_trade_micro_usd', limits.maxTradeMicroUsd])
    columns.push(['max_day_micro_usd', limits.maxDayMicroUsd])
    columns.push(['max_position_micro_usd', limits.maxPositionMicroUsd])
  }
  if (terms) {
    columns.push(['accept_risks', terms.acceptRisks])
    columns.push(['shield', terms.shield])
    columns.push(['policies', terms.policies])
  }
  return columns
}

const plain = (name: string) => ({ name, isJson: false })
const asJson = (name: string) => ({ name, isJson: true })
const COLUMN_OF: Record<keyof Omit<AgentPatch, 'limits' | 'terms'>, { name: string; isJson: boolean }> = {
  name: plain('name'),
  brain: plain('brain'),
  params: asJson('params'),
  intervalS: plain('interval_s'),
  pairs: plain('pairs'),
  tokens: asJson('tokens'),
  live: plain('live'),
  status: plain('status'),
  pauseReason: asJson('pause_reason'),
  sessionId: plain('session_id'),
  executor: plain('executor'),
  executorAttestation: asJson('executor_attestation'),
  staleSessions: plain('stale_sessions'),
  brainState: asJson('brain_state'),
  lastDecision: asJson('last_decision'),
  stoppedAtS: plain('stopped_at_s'),
  deletedAtS: plain('deleted_at_s'),
  nextTickMs: plain('next_tick_ms'),
  webhookSecret: plain('webhook_secret'),
}

/** Only if the agent is unchanged since it was read. */
export async function keepStale(
  sql: Sql,
  { id, revision }: Pick<StoredAgent, 'id' | 'revision'>,
  sessionIds: readonly string[],
): Promise<void> {
  await sql.query(
    `update hosted_agents set stale_sessions = $3
     where id = $1 and revision = $2 and stale_sessions is null`,
    [id, revision, sessionIds],
  )
}

/** Pause by the service: the session ended, a switch, too many errors. False if the agent was not active. */
export async function pauseAgent(sql: Sql, id: string, reason: PauseReason): Promise<boolean> {
  const rows = await sql.query(
    `update hosted_agents
     set status = 'paused', pause_reason = $2, next_tick_ms = null, revision = revision + 1
     where id = $1 and status = 'active' and deleted_at_s is null returning id`,
    [id, JSON.stringify(reason)],
  )
  return rows.length === 1
}

/** Stopped or deleted agents whose league entry is not removed yet. */
export async function agentsLeaving(sql: Sql, limit: number): Promise<string[]> {
  const rows = await sql.query<{ id: string }>(
    `select id from hosted_agents
     where left_league_at_s is null and (status = 'stopped' or deleted_at_s is not null)
     order by id limit $1`,
    [limit],
  )
  return rows.map(({ id }) => id)
}

/** Deletes the networks that old agents were created from. */
export async function sweepMadeFrom(sql: Sql, madeBeforeS: number): Promise<void> {
  await sql.query(
    'update hosted_agents set made_from = null where made_from is not null and created_at_s < $1',
    [madeBeforeS],
  )
}

export async function markLeft(sql: Sql, id: string, atS: number): Promise<void> {
  await sql.query('update hosted_agents set left_league_at_s = $2 where id = $1', [id, atS])
}

const json = (value: unknown): string | null =>
  value === null || value === undefined ? null : JSON.stringify(value)
