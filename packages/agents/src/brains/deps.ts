import type { BrainBook, BrainMarket, Decision } from '@pit/brains'
import type { Address } from '@pit/chain'
import type { Clock } from '@pit/platform/clock'
import type { Db } from '@pit/platform/db'
import type { Logger } from '@pit/platform/logger'
import type { GatewayProfile } from '@pit/protocol'
import type { HostedAgent } from '../types.ts'
import type { Models } from './model/models.ts'
import type { PoolTerms } from './money/rules.ts'
import type { Seal } from './seal.ts'

/** What every part of the brains stands on. */
export interface BrainDeps {
  db: Db
  clock: Clock
  logger: Pick<Logger, 'warn'>
  /** Null where nothing can be sealed. */
  seal: Seal | null
  /** Null where no model can be called: no gateway, or nobody who could pay. */
  gateway: { url: string; cost: GatewayProfile['cost']; models: Models; poolKey: string | null } | null
  terms: PoolTerms
}

/** What asking a model takes besides. */
export interface ModelDeps extends Omit<BrainDeps, 'seal'> {
  ownKey(wallet: Address): Promise<{ key: string } | { code: string }>
  /** Keys the vendor told to slow down: asking again before then would only make it worse. */
  resting: { rests(owner: string): boolean; rest(owner: string, seconds: number | null): void }
  /** Calls under way at once. */
  slots: { take(): boolean; give(): void }
  /** How ticks ended, for the metrics. */
  count(code: string): void
  /** How long a model may think. */
  patienceMs: number
}

export interface BrainRequest {
  agent: HostedAgent
  tick: number
  market: BrainMarket
  book: BrainBook
  /** When the tick has to be over: what comes later is not traded. */
  deadlineMs: number
}

/** What a brain came to. A hold asked nobody or in vain; an error is an answer or call that was refused. */
export type Brained =
  | { kind: 'decision'; decision: Decision; data?: unknown }
  | { kind: 'hold' | 'error'; code: string; message: string; data?: unknown }
