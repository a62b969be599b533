import type { Refusal } from '@pit/accounts'
import type { Address, Crypto } from '@pit/chain'
import type { Market, Tokens } from '@pit/market'
import type { Clock } from '@pit/platform/clock'
import type { Db } from '@pit/platform/db'
import type { Logger } from '@pit/platform/monitoring'
import type { Rpc } from '@pit/platform/rpc'
import type { ChainProfile } from '@pit/protocol'
import type { VendorKeys } from './quote/index.ts'
import type { PlanTx, TradePlan } from './types.ts'

/** Dependencies of trading. */
export interface TradeDeps {
  db: Db
  market: Market
  tokens: Tokens
  rpc: Rpc
  profile: ChainProfile
  clock: Clock
  crypto: Crypto
  logger: Logger
  /** API keys of vendors, by kind. */
  vendorKeys: VendorKeys
  /** Current fee rate of a major trade for this wallet; null: the posted rate. */
  tierBps(wallet: Address | null): Promise<number>
  /** Awaited before a plan is returned: only stored plans are relayed. */
  storePlan(request: StorePlanRequest): Promise<void>
  storeRevocation(request: { keyId: number; wallet: Address; txs: readonly { tx: PlanTx }[] }): Promise<void>
  /** Never waits and never throws. */
  recordRefusal(refusal: Refusal): void
  /** Whether requests may name a fee recipient; only the pinned one is accepted. */
  devFields: boolean
}

export interface StorePlanRequest {
  keyId: number
  wallet: Address
  path: 'agent' | 'session' | 'hosted'
  sessionId?: string | null
  plan: TradePlan
}
