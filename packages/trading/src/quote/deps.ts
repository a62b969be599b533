import type { Address, Crypto } from '@pit/chain'
import type { Market, Tokens } from '@pit/market'
import type { Clock } from '@pit/platform/clock'
import type { Logger } from '@pit/platform/logger'
import type { Rpc } from '@pit/platform/rpc'
import type { ChainProfile } from '@pit/protocol'
import type { VendorKeys } from './vendors/index.ts'

/** What pricing a trade is handed. */
export interface QuoterDeps {
  market: Pick<Market, 'head' | 'index' | 'curveOf' | 'mark' | 'stocks'>
  tokens: Pick<Tokens, 'get' | 'coreBySymbol' | 'assertUnchanged' | 'readAudit'>
  rpc: Pick<Rpc, 'batch'>
  profile: ChainProfile
  clock: Clock
  crypto: Pick<Crypto, 'keccakText' | 'parseAddress'>
  logger: Pick<Logger, 'warn'>
  vendorKeys: VendorKeys
  /** The rate of a major trade for this wallet now; null: the posted one. */
  tierBps(wallet: Address | null): Promise<number>
}

export { lowerAddress as lower } from '@pit/chain'

/** Sixteen bytes of a hash, as a pool route's id has. */
export const idOf = ({ keccakText }: Pick<Crypto, 'keccakText'>, path: string): string =>
  keccakText(path).slice(0, 34)

/** Two digits after the point are more than a basis point means. */
export const roundBps = (bps: number): number => Math.round(bps * 100) / 100
