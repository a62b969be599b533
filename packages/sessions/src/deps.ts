import type { Address, Crypto } from '@pit/chain'
import type { Market, Tokens } from '@pit/market'
import type { Clock } from '@pit/platform/clock'
import type { Db, Sql } from '@pit/platform/db'
import type { Logger } from '@pit/platform/logger'
import type { Rpc } from '@pit/platform/rpc'
import type { ChainProfile } from '@pit/protocol'
import type { Refusal } from '@pit/relay'
import type { PlanTx, StorePlanRequest, Trade } from '@pit/trading'
import type { SessionAddresses } from './addresses.ts'
import type { Cosigner } from './cosigner.ts'

/** What sessions ask of hosted agents, in the caller's transaction. */
export interface HostedRecord {
  /** The owner of the hosted agent whose executor this is or was; null when it is none. */
  executorOwner(sql: Sql, executor: Address): Promise<Address | null>
  /** Whether the agent trades by this executor now. */
  isExecutorOf(sql: Sql, request: { executor: Address; agentId: string }): Promise<boolean>
  /** Those of these sessions that an agent still names. */
  sessionsInUse(sql: Sql, sessionIds: readonly string[]): Promise<ReadonlySet<string>>
}

/** What sessions are handed. */
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
  /** The rate of a major trade for this wallet now. */
  tierBps(wallet: Address): Promise<number>
  isSanctioned(address: Address): boolean
  /** Before a trade is answered: only what was stored is relayed. */
  storePlan(request: StorePlanRequest): Promise<void>
  /** The owner's own transactions that belong to no trade: the setup, and what ends a session on chain. */
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
