import type { Address, Crypto } from '@pit/chain'
import type { Market, Tokens } from '@pit/market'
import type { Clock } from '@pit/platform/clock'
import type { Logger } from '@pit/platform/monitoring'
import type { Rpc } from '@pit/platform/rpc'
import type { ChainProfile } from '@pit/protocol'
import type { VendorKeys } from './vendors/index.ts'

/** Dependencies of pricing a trade. */
export interface QuoterDeps {
  market: Pick<Market, 'head' | 'index' | 'curveOf' | 'mark' | 'stocks'>
  tokens: Pick<Tokens, 'get' | 'coreBySymbol' | 'assertUnchanged' | 'readAudit'>
  rpc: Pick<Rpc, 'batch'>
  profile: ChainProfile
  clock: Clock
  crypto: Pick<Crypto, 'keccakText' | 'parseAddress'>
  logger: Pick<Logger, 'warn'>
  vendorKeys: VendorKeys
  /** Current fee rate of a major trade for this wallet; null: the posted rate. */
  tierBps(wallet: Address | null): Promise<number>
}

/** The first sixteen bytes of a hash, like the id of a pool route. */
export const idOf = ({ keccakText }: Pick<Crypto, 'keccakText'>, path: string): string =>
  keccakText(path).slice(0, 34)

/** Rounds to two decimals. */
export const roundBps = (bps: number): number => Math.round(bps * 100) / 100
