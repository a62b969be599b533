import type { Address } from '@pit/chain'
import type { ChainProfile } from '@pit/protocol'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db/index.ts'
import type { Logger } from '../../platform/logger.ts'
import type { Metrics } from '../../platform/metrics.ts'
import type { Rpc } from '../../platform/rpc.ts'
import type { Market } from '../market/index.ts'

/** What the verbs of the account are handed. */
export interface AccountDeps {
  db: Db
  rpc: Pick<Rpc, 'request' | 'batch'>
  clock: Clock
  logger: Pick<Logger, 'info' | 'warn' | 'error'>
  metrics: Pick<Metrics, 'registry'>
  profile: ChainProfile
  market: Pick<Market, 'head' | 'mark' | 'whyUnread'>
}

export const lower = (address: string): Address => address.toLowerCase() as Address
