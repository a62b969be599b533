import type { BrainBook, BrainMarket } from '@pit/brains'
import type { Address } from '@pit/chain'
import type { Clock } from '@pit/platform/clock'
import type { Db } from '@pit/platform/db'
import type { Logger } from '@pit/platform/monitoring'
import type { GatewayProfile } from '@pit/protocol'
import type { ModelAgent } from './agent.ts'
import type { ModelList } from './model/modelList.ts'
import type { PoolTerms } from './money/rules.ts'
import type { Seal } from './seal.ts'

/** Dependencies shared by all functions. */
export interface ModelDeps {
  db: Db
  clock: Clock
  logger: Pick<Logger, 'warn'>
  /** Null if the server has no sealing key. */
  seal: Seal | null
  /** Null if no model can be called: no gateway, or no way to pay. */
  gateway: { url: string; cost: GatewayProfile['cost']; models: ModelList; poolKey: string | null } | null
  terms: PoolTerms
  /** The client network an agent was created from; trials are counted by it. */
  networkOf(agentId: string): Promise<string | null>
}

/** Additional dependencies of model calls. */
export interface CallDeps extends Omit<ModelDeps, 'seal'> {
  ownKey(wallet: Address): Promise<{ key: string } | { code: string }>
  /** Keys the vendor has rate-limited; calling again too early would extend the limit. */
  rateLimited: { isPaused(owner: string): boolean; pause(owner: string, seconds: number | null): void }
  /** Concurrent calls. */
  slots: { take(): boolean; give(): void }
  /** Counts tick outcomes for the metrics. */
  count(code: string): void
  /** Timeout of a model call. */
  patienceMs: number
}

export interface DecisionInput {
  agent: ModelAgent
  tick: number
  market: BrainMarket
  book: BrainBook
  /** Deadline of the tick; later decisions are not traded. */
  deadlineMs: number
}
