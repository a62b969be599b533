import type { Address } from '@pit/chain'
import type { History } from '@pit/history'
import type { Market } from '@pit/market'
import type { Clock } from '@pit/platform/clock'
import type { Db } from '@pit/platform/db'
import type { ChainProfile } from '@pit/protocol'
import type { Trade } from '@pit/trading'

/** Dependencies of paper trading. */
export interface PaperDeps {
  db: Db
  clock: Clock
  profile: Pick<ChainProfile, 'core_tokens' | 'listed_stocks'>
  market: Pick<Market, 'mark'>
  quoteTrade: Trade['quoteTrade']
  history: Pick<History, 'append'>
}

/** The token books start with and pay gas from. */
export interface Cash {
  address: Address
  decimals: number
}
