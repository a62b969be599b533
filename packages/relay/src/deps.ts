import type { Address, Crypto } from '@pit/chain'
import type { Market } from '@pit/market'
import type { Clock } from '@pit/platform/clock'
import type { Db } from '@pit/platform/db'
import type { Logger } from '@pit/platform/logger'
import type { Metrics } from '@pit/platform/metrics'
import type { Rpc } from '@pit/platform/rpc'
import type { ChainProfile } from '@pit/protocol'

/** New blocks say when to look for receipts; pools and curves, where known, say which logs are of ETH. */
export type RelayMarket = Pick<Market, 'head' | 'onBlock'> & Partial<Pick<Market, 'pool' | 'curveOf'>>

export interface RelayDeps {
  db: Db
  rpc: Rpc
  /** Takes eth_sendRawTransaction. */
  sequencer: Rpc
  crypto: Crypto
  clock: Clock
  logger: Logger
  metrics: Pick<Metrics, 'registry'>
  profile: ChainProfile
  market: RelayMarket
  isSanctioned(address: Address): boolean
  submitEnabled: boolean
  /** Whether this process follows receipts, finishes what another left, and sweeps. */
  writes: boolean
  /** Whether a signer that is not the key's wallet is the executor of one of that wallet's sessions. */
  executorOf?(ask: { keyId: number; wallet: Address; signer: Address }): boolean | Promise<boolean>
  /** Whether a session still trades: what was planned under one that ended is not relayed. */
  sessionOpen?(sessionId: string): boolean | Promise<boolean>
  /** False for a token whose Transfer logs are not what arrives: a tax on transfers, balances that move alone. */
  isPlainToken?(token: Address): boolean | Promise<boolean>
}

export { lowerAddress as lower } from '@pit/chain'
