import type { Address, Crypto } from '@pit/chain'
import type { History } from '@pit/history'
import type { Market, Tokens } from '@pit/market'
import type { Timer } from '@pit/platform/clock'
import type { Db } from '@pit/platform/db'
import type { Activity } from '@pit/platform/jobs'
import type { Logger, Metrics } from '@pit/platform/monitoring'
import type { Rpc } from '@pit/platform/rpc'
import type { ChainProfile } from '@pit/protocol'
import type { Relay } from '@pit/relay'
import type { Sessions, Switches } from '@pit/sessions'
import type { SignerClient } from '@pit/signer-wire'
import type { Brains } from '../brains/index.ts'
import type { Cash } from '../paper/deps.ts'
import type { Paper } from '../paper/index.ts'
import type { OrderMarket } from '../signed/ordersInput.ts'
import type { MarkHistory } from './history.ts'
import type { TickMetrics } from './metrics.ts'
import type { FindTokenHold, PracticeGate } from './types.ts'

/** Dependencies of running agents. */
export interface TickOptions {
  db: Db
  rpc: Pick<Rpc, 'request' | 'batch'>
  clock: Timer
  crypto: Crypto
  logger: Logger
  metrics: Pick<Metrics, 'registry'>
  /** An active agent counts as use of the process. */
  activity?: Pick<Activity, 'note'>
  profile: ChainProfile
  market: Pick<Market, 'mark' | 'head' | 'onRounds'>
  tokens: Pick<Tokens, 'find'>
  brains: Pick<Brains, 'decide' | 'historyS'>
  paper: Pick<Paper, 'fill' | 'bookNow' | 'recordEquity'>
  equityHistory: Pick<History, 'append'>
  sessions: Pick<Sessions, 'tradeInSession' | 'sessionOf' | 'usedOf'>
  /** Null if this server has no signer: live agents then hold. */
  signer: Pick<SignerClient, 'signExecutorTx' | 'settleLeaf'> | null
  /** Relays bytes that were built, stored and co-signed before. */
  submitBytes: Relay['submitBytes']
  submitEnabled: boolean
  switches: Switches
  isSanctioned(address: Address): boolean
  /** This wallet's current fee rate for a major trade. */
  tierBps(wallet: Address): Promise<number>
  practiceGate: PracticeGate
  /** Identifies this process as lease holder. */
  workerId: string
  /** Concurrent slow ticks. */
  concurrency?: number
}

/** TickOptions plus internally created dependencies. */
export interface RunDeps extends TickOptions {
  usdg: Cash
  /** The delegation manager. */
  manager: Address
  /** Addresses of the core assets. */
  core: ReadonlySet<string>
  history: MarkHistory
  findTokenHold: FindTokenHold
  orderMarket: OrderMarket
  tickMetrics: TickMetrics
}
