import type { Clock } from '@pit/platform/clock'
import type { Db } from '@pit/platform/db'
import type { Logger } from '@pit/platform/logger'
import type { Models } from '../model/models.ts'
import type { PoolTerms } from '../money/rules.ts'
import type { Seal } from '../seal.ts'

export interface BrainHandlerDeps {
  db: Db
  clock: Clock
  logger: Pick<Logger, 'warn'>
  /** Null where nothing can be sealed. */
  seal: Seal | null
  gateway: { url: string; models: Models; poolKey: string | null } | null
  terms: PoolTerms
}
