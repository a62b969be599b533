import type { Address, Crypto } from '@pit/chain'
import type { Market, Tokens } from '@pit/market'
import type { Timer } from '@pit/platform/clock'
import type { Db, Sql } from '@pit/platform/db'
import type { Logger } from '@pit/platform/logger'
import type { Rpc } from '@pit/platform/rpc'
import type { SignerClient } from '@pit/platform/signerClient'
import type { Answer, Brain, ChainProfile } from '@pit/protocol'
import type { Trader } from '@pit/relay'
import type { Sessions, Switches } from '@pit/sessions'
import type { Paper } from './paper/index.ts'
import type { HostedAgent } from './types.ts'

/** What the brains tell of themselves to an agent's life. */
export interface AgentBrains {
  /** Normalised; refuses BAD_REQUEST with the field. */
  readParams(
    brain: Brain,
    params: Record<string, unknown>,
    request: { intervalS: number; mode: HostedAgent['mode'] },
  ): Record<string, unknown>
  /** Whether params that were read fit these pairs; refuses BAD_REQUEST with the field. */
  checkPairs(brain: Brain, params: Record<string, unknown>, pairs: readonly string[]): void
  /** Shown once, and as it is stored. Refuses HOSTED_UNAVAILABLE where nothing can be sealed. */
  newWebhookSecret(agentId: string): { secret: string; sealed: Uint8Array }
  /** The `ai` of a created agent. */
  aiSummary(agent: HostedAgent): Promise<NonNullable<Answer<'hosted.create'>['ai']>>
  /** What would keep a model agent from asking its model. */
  aiHolds(agent: HostedAgent): Promise<{ code: string; message: string }[]>
}

/** What of the signing service hosted agents use. */
export type ExecutorSigner = Pick<
  SignerClient,
  'createExecutor' | 'attestStock' | 'revokeStock' | 'refundGas'
>

/** What would hold orders of an agent's next tick. */
export interface NextHold {
  code: string
  message: string
  /** Absent: of all its pairs. */
  pair?: string
  /** Absent: of both sides. */
  side?: 'buy' | 'sell'
}

/** What the life of hosted agents is handed. */
export interface HostedDeps {
  db: Db
  rpc: Rpc
  /** Takes eth_sendRawTransaction. */
  sequencer: Rpc
  clock: Timer
  crypto: Crypto
  logger: Logger
  profile: Pick<ChainProfile, 'core_tokens' | 'listed_stocks' | 'chain_id'>
  market: Pick<Market, 'head' | 'mark'>
  tokens: Pick<Tokens, 'get'>
  brains: AgentBrains
  switches: Switches
  /** Null where this server has no signer: agents then run on paper only. */
  signer: ExecutorSigner | null
  /** Whether the signer answered when last asked, and signs. */
  signerAnswers(): boolean
  sessions: Pick<Sessions, 'revokeSession'>
  /** Who co-signs here; null while nobody knows. */
  cosigner(): Address | null
  paper: Pick<Paper, 'openBook' | 'bookNow'>
  /** Takes a hosted agent off the league's boards; nothing to do for one that is on none. */
  leaveLeague(agentId: string): Promise<void>
  /** Whether it is on one of the league's boards, now or from the next season on. */
  isInLeague(sql: Sql, agentId: string): Promise<boolean>
  /** Throws when the chain does not answer. */
  nextHolds(agent: HostedAgent): Promise<NextHold[]>
  submitEnabled: boolean
  /** How long a refund's call waits for its receipt. */
  refundWaitMs: number
  randomBytes(size: number): Uint8Array
}

/** An agent as its owner asks for it. */
export interface AgentRequest {
  by: Trader
  id: string
}

export const lower = (address: string): Address => address.toLowerCase() as Address
