import type { Address, Crypto } from '@pit/chain'
import type { History } from '@pit/history'
import type { Market, Tokens } from '@pit/market'
import type { Models } from '@pit/models'
import type { Timer } from '@pit/platform/clock'
import type { Db, Sql } from '@pit/platform/db'
import type { Logger } from '@pit/platform/monitoring'
import type { Rpc } from '@pit/platform/rpc'
import type { Answer, Brain, ChainProfile } from '@pit/protocol'
import type { Trader } from '@pit/relay'
import type { Sessions, Switches } from '@pit/sessions'
import type { SignerClient } from '@pit/signer-wire'
import type { Paper } from './paper/index.ts'
import type { HostedAgent } from './types.ts'

/** The parts of the brains that the life of an agent needs. */
export interface AgentBrains {
  /** Normalised; throws BAD_REQUEST with the field. */
  readParams(
    brain: Brain,
    params: Record<string, unknown>,
    request: { intervalS: number; mode: HostedAgent['mode'] },
  ): Record<string, unknown>
  /** Checks that normalised params fit these pairs; throws BAD_REQUEST with the field. */
  checkPairs(brain: Brain, params: Record<string, unknown>, pairs: readonly string[]): void
  /** The secret, shown once, and its sealed form. Throws HOSTED_UNAVAILABLE if nothing can be sealed. */
  newWebhookSecret(agentId: string): { secret: string; sealed: Uint8Array }
  /** `ai` of a created agent. */
  aiSummary(agent: HostedAgent): Promise<NonNullable<Answer<'hosted.create'>['ai']>>
  /** Reasons why a model agent would not call its model. */
  aiHolds(agent: HostedAgent): Promise<{ code: string; message: string }[]>
  /** Stores an owner's gateway key once the gateway accepts it. */
  connectKey: Models['connectKey']
  disconnectKey: Models['disconnectKey']
}

/** The signing service's calls that hosted agents use. */
export type ExecutorSigner = Pick<
  SignerClient,
  | 'createExecutor'
  | 'attestStock'
  | 'revokeStock'
  | 'refundGas'
  | 'registerOrders'
  | 'cancelOrders'
  | 'confirmStates'
>

/** A reason why orders of the next tick would be held. */
export interface NextHold {
  code: string
  message: string
  /** Absent: all pairs. */
  pair?: string
  /** Absent: both sides. */
  side?: 'buy' | 'sell'
}

/** Dependencies of the life of hosted agents. */
export interface HostedDeps {
  db: Db
  rpc: Rpc
  /** Accepts eth_sendRawTransaction. */
  sequencer: Rpc
  clock: Timer
  crypto: Crypto
  logger: Logger
  profile: ChainProfile
  market: Pick<Market, 'head' | 'mark'>
  tokens: Pick<Tokens, 'get'>
  brains: AgentBrains
  switches: Switches
  /** Null if this server has no signer: agents then run on paper only. */
  signer: ExecutorSigner | null
  /** Whether the signer answered its last health check and signs. */
  signerAnswers(): boolean
  sessions: Pick<Sessions, 'revokeSession'>
  /** Address of the co-signer; null while unknown. */
  cosigner(): Address | null
  paper: Pick<Paper, 'openBook' | 'bookNow'>
  history: Pick<History, 'read'>
  /** Removes a hosted agent from the league's boards; does nothing if it is on none. */
  leaveLeague(agentId: string): Promise<void>
  /** Whether it is on one of the league's boards, now or from the next season on. */
  isInLeague(sql: Sql, agentId: string): Promise<boolean>
  /** Throws if the chain does not answer. */
  nextHolds(agent: HostedAgent): Promise<NextHold[]>
  submitEnabled: boolean
  /** How long a refund request waits for the receipt. */
  refundWaitMs: number
  randomBytes(size: number): Uint8Array
}

/** Identifies one of the caller's agents. */
export interface AgentRequest {
  by: Trader
  id: string
}
