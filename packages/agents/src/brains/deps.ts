import type { BrainBook, BrainMarket, Decision } from '@pit/brains'
import type { Address } from '@pit/chain'
import type { Clock } from '@pit/platform/clock'
import type { Db } from '@pit/platform/db'
import type { Logger } from '@pit/platform/monitoring'
import type { GatewayProfile } from '@pit/protocol'
import type { HostedAgent } from '../types.ts'
import type { Models } from './model/models.ts'
import type { PoolTerms } from './money/rules.ts'
import type { Seal } from './seal.ts'

/** Dependencies shared by all brains. */
export interface BrainDeps {
  db: Db
  clock: Clock
  logger: Pick<Logger, 'warn'>
  /** Null if the server has no sealing key. */
  seal: Seal | null
  /** Null if no model can be called: no gateway, or no way to pay. */
  gateway: { url: string; cost: GatewayProfile['cost']; models: Models; poolKey: string | null } | null
  terms: PoolTerms
}

/** Additional dependencies of model calls. */
export interface ModelDeps extends Omit<BrainDeps, 'seal'> {
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

export interface BrainRequest {
  agent: HostedAgent
  tick: number
  market: BrainMarket
  book: BrainBook
  /** Deadline of the tick; later decisions are not traded. */
  deadlineMs: number
}

/** Result of a brain. `hold`: no call was made or it failed; `error`: the call or its answer was rejected. */
export type Brained =
  | { kind: 'decision'; decision: Decision; data?: unknown }
  | { kind: 'hold' | 'error'; code: string; message: string; data?: unknown }
