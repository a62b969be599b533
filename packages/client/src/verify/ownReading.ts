import type { Address } from '@pit/chain'
import type { RouteReading } from '../own/impact.ts'
import type { OwnMarket } from '../own/market.ts'
import type { OwnMarks } from '../own/marks.ts'
import type { Sale } from '../own/saleBack.ts'
import type { Trial } from '../own/trial.ts'

/** Readings of the client's own node for a plan whose calldata passed. */
export interface OwnReading {
  marks: OwnMarks
  market: OwnMarket
  /** The planned route, quoted. Null if its pools quote nothing; not read for two pinned tokens that were simulated. */
  route: RouteReading | null
  /** The plan's own transactions, tried on the client's node. */
  trial: Trial
  /** Of a bought token outside the pins; null if nothing was simulated. */
  sale: Sale | null
  /** Of the pools on the route whose hook sets the fee. */
  dynamicFeesPips: readonly number[]
  standsOnBeacon(token: Address): boolean
  /** Of the wallet, pending transactions counted. */
  nonce: number
  baseFeeWei: bigint
  etherWei: bigint
}
