import type { Address, Hex } from '@pit/chain'
import type { Answer, TreasuryBucket } from '@pit/protocol'

/** A row as it is served: what was recorded, and its hash. */
export type ServedRow = Answer<'treasury'>['weeks'][number]
/** The hashed content. */
export type RowBody = Omit<ServedRow, 'hash'>
export type WeekToken = ServedRow['tokens'][number]
export type RecordedTransfer = ServedRow['transfers'][number]
export type PerBucket<T> = Record<TreasuryBucket, T>

/** A stretch of time that gets one row: a week, or a part of one that was closed early. */
export interface Interval {
  startS: number
  /** The first second that is not in it any more. */
  endS: number
  label: string
  firstBlock: number
  lastBlock: number
}

export interface TokenText {
  token: Address
  symbol: string
  decimals: number
}

/** First and last, both in it. */
export interface BlockRange {
  fromBlock: number
  toBlock: number
}

/**
 * What the chain shows to have come in: by a token's log or a trace, of one transaction; or by balances, of a
 * range of blocks (ETH alone).
 */
export type Incoming = BlockRange & { token: Address; atoms: bigint } & (
    | { how: 'log' | 'trace'; txHash: Hex }
    | { how: 'balance'; txHash: null }
  )

export type LoggedIncoming = Incoming & { how: 'log'; logIndex: number }

/** How ETH that came in was read: each move, by balances, or not at all. */
export type EthBy = ServedRow['reconciliation']['eth']

/** A price at the end of an interval. */
export interface WeekMark {
  /** Dollars for one whole token, times 10^18. */
  priceE18: bigint
  source: string
  minuteS: number
  stale: boolean
}
