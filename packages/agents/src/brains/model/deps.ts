import type { Address } from '@pit/chain'
import type { Clock } from '@pit/platform/clock'
import type { Db } from '@pit/platform/db'
import type { Logger } from '@pit/platform/logger'
import { microOf } from '../../decide/index.ts'
import type { PoolTerms } from '../money/rules.ts'
import { AI } from '../numbers.ts'
import type { Models } from './models.ts'
import type { RestingKeys } from './restingKeys.ts'

export interface ModelDeps {
  db: Db
  clock: Clock
  logger: Pick<Logger, 'warn'>
  /** Null where no model can be called: no gateway, or nobody who could pay. */
  gateway: { url: string; models: Models; poolKey: string | null } | null
  terms: PoolTerms
  ownKey(wallet: Address): Promise<{ key: string } | { code: string }>
  resting: RestingKeys
  /** Calls under way at once. */
  slots: { take(): boolean; give(): void }
  /** How ticks ended, for the metrics. */
  count(code: string): void
  /** How long a model may think. */
  patienceMs: number
}

export const microBudgetOf = (params: Record<string, unknown>): bigint =>
  microOf(typeof params['budget_usd_day'] === 'number' ? params['budget_usd_day'] : AI.budgetDefaultUsd)
