import type { Refusal } from '@pit/accounts'
import type { Address, Crypto } from '@pit/chain'
import type { Market, Tokens } from '@pit/market'
import type { Clock } from '@pit/platform/clock'
import type { Db, Sql } from '@pit/platform/db'
import type { Logger } from '@pit/platform/monitoring'
import type { Rpc } from '@pit/platform/rpc'
import type { ChainProfile } from '@pit/protocol'
import type { PlanTx, StorePlanRequest, Trade } from '@pit/trading'
import type { SessionAddresses } from './addresses.ts'
import type { Cosigner } from './cosigner.ts'

/** Reads of hosted agents, in the caller's transaction. */
export interface HostedRecord {
  /** Owner of the hosted agent with this current or former executor; null if there is none. */
  executorOwner(sql: Sql, executor: Address): Promise<Address | null>
  /** Whether this is the agent's current executor. */
  isExecutorOf(sql: Sql, request: { executor: Address; agentId: string }): Promise<boolean>
  /** The subset of these sessions that an agent still uses. */
  sessionsInUse(sql: Sql, sessionIds: readonly string[]): Promise<ReadonlySet<string>>
}

/** Dependencies of sessions. */
export interface SessionOptions {
  db: Db
  rpc: Pick<Rpc, 'request' | 'batch'>
  clock: Clock
  crypto: Crypto
  logger: Logger
  profile: ChainProfile
  market: Pick<Market, 'head' | 'mark' | 'curveOf'>
  tokens: Pick<Tokens, 'get' | 'coreBySymbol' | 'readAudit'>
  trade: Pick<Trade, 'planTrade' | 'simulator'>
  /** This wallet's current rate for a major trade. */
  tierBps(wallet: Address): Promise<number>
  isSanctioned(address: Address): boolean
  /** Called before a trade is returned: only stored plans are relayed. */
  storePlan(request: StorePlanRequest): Promise<void>
  /** The owner's transactions outside trades: the setup, and those that end a session on chain. */
  storeOwnerTxs(request: { keyId: number; wallet: Address; txs: readonly { tx: PlanTx }[] }): Promise<void>
  /** Never waits and never throws. */
  recordRefusal(refusal: Refusal): void
  randomBytes(size: number): Uint8Array
  hosted: HostedRecord
}

export interface SessionDeps extends SessionOptions {
  cosigner: Cosigner
  addresses(): SessionAddresses
}
