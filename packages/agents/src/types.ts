import type { Address } from '@pit/chain'
import type { Answer, Brain, FeeClass, ShieldPolicy } from '@pit/protocol'

/** One token of an agent's pairs. */
export type AgentToken = {
  /** As the owner wrote it: a core symbol or an address. */
  token: string
  symbol: string
  /** Lower-case; all zero for ETH. */
  address: Address
  decimals: number
  stock: boolean
}

export interface AgentLimits {
  maxTradeMicroUsd: bigint
  maxDayMicroUsd: bigint
  maxPositionMicroUsd: bigint
}

/** The owner's risk terms for every trade. */
export interface AgentTerms {
  acceptRisks: readonly string[]
  shield: boolean
  /** Null: the default policies if shielded. */
  policies: readonly ShieldPolicy[] | null
}

/** Why an agent is paused, with details. */
export type PauseReason = NonNullable<Answer<'hosted.get'>['pause_reason']>

/** Last tick and last trade as shown to the owner; stored in that form. */
export type LastDecision = NonNullable<Answer<'hosted.get'>['last_decision']>
export type LastTrade = NonNullable<Answer<'hosted.get'>['last_trade']>

/** A hosted agent as stored. */
export interface HostedAgent {
  id: string
  wallet: Address
  keyId: number
  name: string | null
  brain: Brain
  params: Record<string, unknown>
  intervalS: number
  /** BASE/QUOTE, each as in `tokens[].token`. */
  pairs: readonly string[]
  tokens: readonly AgentToken[]
  limits: AgentLimits
  terms: AgentTerms
  mode: 'paper' | 'live'
  live: boolean
  status: 'active' | 'paused' | 'stopped'
  pauseReason: PauseReason | null
  sessionId: string | null
  executor: Address | null
  brainState: Record<string, unknown> | null
  bookId: number | null
  tick: number
  createdAtS: number
  stoppedAtS: number | null
  deletedAtS: number | null
}

/** Fee of a trade. */
export interface TradeFee {
  bps: number
  class: FeeClass
  tier: number
}

/** An entry of an agent's log. */
export interface LogEntry {
  agentId: string
  tick: number | null
  atMs: number
  kind: 'decision' | 'trade' | 'hold' | 'session' | 'watch' | 'error' | 'state'
  code?: string
  message: string
  fee?: TradeFee
  data?: unknown
}
