import type { History } from '@pit/history'
import type { Market } from '@pit/market'
import type { SharedTexts } from '@pit/platform/cache'
import type { Clock } from '@pit/platform/clock'
import type { Db } from '@pit/platform/db'
import type { Logger, Metrics } from '@pit/platform/monitoring'
import type { Rpc } from '@pit/platform/rpc'
import type { ChainProfile } from '@pit/protocol'

/** Dependencies of the account functions. */
export interface AccountDeps {
  db: Db
  rpc: Pick<Rpc, 'request' | 'batch'>
  clock: Clock
  logger: Pick<Logger, 'info' | 'warn' | 'error'>
  metrics: Pick<Metrics, 'registry'>
  profile: ChainProfile
  shared: Pick<SharedTexts, 'load'>
  market: Pick<Market, 'head' | 'mark' | 'whyUnread'>
  history: Pick<History, 'append' | 'read'>
}
