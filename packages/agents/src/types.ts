import type { Address } from '@pit/chain'
import type { Answer, Brain, FeeClass, ShieldPolicy } from '@pit/protocol'

/** One end of an agent's pairs. */
export type AgentToken = {
  /** As the owner named it: a core symbol or an address. */
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

/** What its owner accepts for every trade. */
export interface AgentTerms {
  acceptRisks: readonly string[]
  shield: boolean
  /** Null: the default policies when shielded. */
  policies: readonly ShieldPolicy[] | null
}

/** Why an agent is paused, with what a person may want to know. */
export type PauseReason = NonNullable<Answer<'hosted.get'>['pause_reason']>

/** What its owner sees of its last tick and its last trade; stored as it is shown. */
export type LastDecision = NonNullable<Answer<'hosted.get'>['last_decision']>
export type LastTrade = NonNullable<Answer<'hosted.get'>['last_trade']>

/** A hosted agent as it is stored. */
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

/** What a trade pays. */
export interface TradeFee {
  bps: number
  class: FeeClass
  tier: number
}

/** What goes into an agent's log. */
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
