import type { Address, Hex } from '@pit/chain'
import type { Answer, TreasuryBucket } from '@pit/protocol'

/** A row as it is served: what was recorded, and its hash. */
export type ServedRow = Answer<'treasury'>['weeks'][number]
/** The hashed content. */
export type RowBody = Omit<ServedRow, 'hash'>
export type WeekToken = ServedRow['tokens'][number]
export type RecordedTransfer = ServedRow['transfers'][number]
export type PerBucket<T> = Record<TreasuryBucket, T>

/** An interval with one row: a week, or a part of one that was closed early. */
export interface Interval {
  startS: number
  /** Exclusive. */
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

/** First and last block, inclusive. */
export interface BlockRange {
  fromBlock: number
  toBlock: number
}

/**
 * An incoming amount on chain: by a token's log or a trace, for one transaction; or by balances, for a range
 * of blocks (ETH only).
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
  /** USD per whole token, times 10^18. */
  priceE18: bigint
  source: string
  minuteS: number
  stale: boolean
}
