import type { Address, Crypto } from '@pit/chain'
import type { Timer } from '@pit/platform/clock'
import type { Db } from '@pit/platform/db'
import type { Logger, Metrics } from '@pit/platform/monitoring'
import type { Rpc } from '@pit/platform/rpc'
import type { ChainProfile } from '@pit/protocol'
import type { Market } from '../pools/openMarket.ts'

/** The part of the market that a token's record is made from. */
export type TokenMarket = Pick<
  Market,
  'head' | 'index' | 'curveOf' | 'pools' | 'mark' | 'stocks' | 'onBlock' | 'onPool'
> &
  Partial<Pick<Market, 'changes'>>

/** Dependencies of the token registry. */
export interface TokenDeps {
  db: Db
  rpc: Rpc
  clock: Timer
  crypto: Pick<Crypto, 'keccak256' | 'keccakText' | 'parseAddress'>
  logger: Logger
  metrics: Pick<Metrics, 'registry'>
  profile: ChainProfile
  market: TokenMarket
  randomBytes(size: number): Uint8Array
  /** Whether a token belongs to a registry agent; null while the registry cannot be read. */
  isAgentToken(token: Address): Promise<boolean | null>
  /** Pause between two background screens. */
  screenPauseMs?: number
  /** The wallet's current fee for major trades. */
  majorBps(wallet: Address | null): number | Promise<number>
}
