import type { Address } from '@pit/chain'
import type { Brain, ShieldPolicy } from '@pit/protocol'
import type { AgentToken, HostedAgent, PauseReason } from './types.ts'

/** An agent's row, as read by its owner's routes and by its ticks. */
export interface AgentRow {
  id: string
  wallet: Address
  key_id: number
  name: string | null
  brain: Brain
  params: Record<string, unknown>
  interval_s: number
  pairs: string[]
  tokens: AgentToken[]
  max_trade_micro_usd: number
  max_day_micro_usd: number
  max_position_micro_usd: number
  mode: HostedAgent['mode']
  live: boolean
  status: HostedAgent['status']
  pause_reason: PauseReason | null
  accept_risks: string[]
  shield: boolean
  policies: ShieldPolicy[] | null
  session_id: string | null
  executor: Address | null
  brain_state: Record<string, unknown> | null
  book_id: number | null
  tick: number
  created_at_s: number
  stopped_at_s: number | null
  deleted_at_s: number | null
  revision: number
}

/** Excludes the sealed webhook secret, which only the delivery code reads. */
export const AGENT_COLUMNS = `id, wallet, key_id, name, brain, params, interval_s, pairs, tokens,
  max_trade_micro_usd, max_day_micro_usd, max_position_micro_usd, mode, live, status, pause_reason, accept_risks, shield, policies,
  session_id, executor, brain_state, book_id, tick, created_at_s, stopped_at_s, deleted_at_s, revision`

export function agentOfRow(row: AgentRow): HostedAgent & { revision: number } {
  return {
    id: row.id,
    wallet: row.wallet,
    keyId: row.key_id,
    name: row.name,
    brain: row.brain,
    params: row.params,
    intervalS: row.interval_s,
    pairs: row.pairs,
    tokens: row.tokens,
    limits: {
      maxTradeMicroUsd: BigInt(row.max_trade_micro_usd),
      maxDayMicroUsd: BigInt(row.max_day_micro_usd),
      maxPositionMicroUsd: BigInt(row.max_position_micro_usd),
    },
    terms: { acceptRisks: row.accept_risks, shield: row.shield, policies: row.policies },
    mode: row.mode,
    live: row.live,
    status: row.status,
    pauseReason: row.pause_reason,
    sessionId: row.session_id,
    executor: row.executor,
    brainState: row.brain_state,
    bookId: row.book_id,
    tick: row.tick,
    createdAtS: row.created_at_s,
    stoppedAtS: row.stopped_at_s,
    deletedAtS: row.deleted_at_s,
    revision: row.revision,
  }
}
