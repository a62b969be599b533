import type { Address } from '@pit/chain'
import type { Sql } from '@pit/platform/db'
import type { CapabilityJobs } from '@pit/platform/jobs'
import type { FeeClass } from '@pit/protocol'
import type { OrderBounds, Risk } from '@pit/trading'
import type { AgentTerms } from '../types.ts'

/** Token movements of one paper trade. A book is exactly its start balance plus the sum of its fills. */
export interface PaperFill {
  id: number
  bookId: number
  /** Lower-case; all zero for ETH. */
  tokenIn: Address
  tokenOut: Address
  /** Atoms that left the book, including an input-side fee. */
  amountIn: bigint
  /** Atoms received, after an output-side fee and measured taxes. */
  amountOut: bigint
  microUsd: bigint
  fee: { bps: number; class: FeeClass; tier: number; token: Address; atoms: bigint }
  gasMicroUsd: bigint
  /** Gas paid from the book's USDG, in addition to the trade. */
  gasUsdgAtoms: bigint
  routeId: string
  block: number
  filledAtMs: number
}

/** A fill as returned by the trade, with fields that are not stored. */
export interface FilledNow extends PaperFill {
  /** Readable description of the route. */
  route: string
  risks: readonly Risk[]
}

export interface FillRequest {
  bookId: number
  /** The wallet whose fee tier applies. */
  wallet: Address
  /** Core symbols or addresses. */
  tokenIn: string
  tokenOut: string
  /** Dollars at the input's price, or atoms of the input. */
  size: { microUsd: bigint } | { amountIn: bigint }
  terms: AgentTerms
  /** Of the part of a signed order. */
  bound?: OrderBounds | undefined
  /** Runs in the fill's transaction: throwing rolls the fill back. May run again after a deadlock. */
  commit?(sql: Sql, fill: FilledNow): Promise<void>
}

export interface Holding {
  token: Address
  /** Null for a token that is not in the profile. */
  symbol: string | null
  decimals: number | null
  atoms: bigint
  /** At its independent mark, rounded down; null without one. */
  microUsd: bigint | null
}

export interface BookNow {
  startMicroUsd: bigint
  openedAtS: number
  /** Only non-zero balances. */
  balances: readonly Holding[]
  /** Null while any holding has no independent mark, so that an unpriced holding never counts as zero. */
  equityMicroUsd: bigint | null
  unpriced: readonly Address[]
}

export interface Paper {
  /** Returns the id; the existing one if the owner has a book. */
  openBook(sql: Sql, request: { owner: string; startMicroUsd: bigint; atS: number }): Promise<number>
  /**
   * Trades at a real quote of this size, less fee and gas, under the risk terms of a live plan. Balances, the
   * fill and `commit` are one transaction. Fails like a plan; SIMULATION_FAILED if the book holds too little.
   */
  fill(request: FillRequest): Promise<FilledNow>
  /** One read for many books; unknown ids are absent. */
  bookNow(bookIds: readonly number[]): Promise<Map<number, BookNow>>
  /** Records value, peak and drawdown of these books now; unpriced books are skipped. */
  recordEquity(bookIds: readonly number[]): Promise<void>
  /** Newest first. */
  fillsOf(bookId: number, page: { limit: number; before?: number }): Promise<PaperFill[]>
  /** Deletes old fills; returns how many. */
  sweep(): Promise<number>
  jobs: CapabilityJobs
}
