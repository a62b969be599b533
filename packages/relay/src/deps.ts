import type { Address, Crypto, Hex } from '@pit/chain'
import type { Market } from '@pit/market'
import type { Timer } from '@pit/platform/clock'
import type { Db } from '@pit/platform/db'
import type { Logger, Metrics } from '@pit/platform/monitoring'
import type { ReceiptLog } from '@pit/platform/reads'
import type { Rpc } from '@pit/platform/rpc'
import type { ChainProfile } from '@pit/protocol'

/** New blocks trigger the search for receipts; known pools and curves identify logs that moved ETH. */
export type RelayMarket = Pick<Market, 'head' | 'onBlock'> & Partial<Pick<Market, 'pool' | 'curveOf'>>

/** A mined transaction of a session, with the logs of its receipt. */
export interface MinedTrade {
  sessionId: string
  txHash: Hex
  logs: readonly ReceiptLog[]
}

export interface RelayDeps {
  db: Db
  rpc: Rpc
  /** Receives eth_sendRawTransaction. */
  sequencer: Rpc
  crypto: Crypto
  clock: Timer
  logger: Logger
  metrics: Pick<Metrics, 'registry'>
  profile: ChainProfile
  market: RelayMarket
  isSanctioned(address: Address): boolean
  submitEnabled: boolean
  /** Whether a signer that is not the key's wallet is the executor of one of that wallet's sessions. */
  executorOf?(request: { keyId: number; wallet: Address; signer: Address }): boolean | Promise<boolean>
  /** Whether a session is still active: plans of an ended session are not relayed. */
  sessionOpen?(sessionId: string): boolean | Promise<boolean>
  /** Called with transactions of sessions once they are booked as mined; must not throw or wait. */
  onMined?(trades: readonly MinedTrade[]): void
  /** False for tokens whose Transfer logs differ from what arrives: transfer taxes, rebasing balances. */
  isPlainToken?(token: Address): boolean | Promise<boolean>
}
