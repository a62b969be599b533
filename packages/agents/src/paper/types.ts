import type { Address } from '@pit/chain'
import type { Sql } from '@pit/platform/db'
import type { CapabilityJobs } from '@pit/platform/jobs'
import type { FeeClass } from '@pit/protocol'
import type { Risk } from '@pit/trading'
import type { AgentTerms } from '../types.ts'

/** What one trade on paper moved. A book is its start and the sum of these, to the atom. */
export interface PaperFill {
  id: number
  bookId: number
  /** Lower-case; all zero for ETH. */
  tokenIn: Address
  tokenOut: Address
  /** What left the book, an input-side fee included. */
  amountIn: bigint
  /** What came into it, an output-side fee and measured taxes already taken. */
  amountOut: bigint
  microUsd: bigint
  fee: { bps: number; class: FeeClass; tier: number; token: Address; atoms: bigint }
  gasMicroUsd: bigint
  /** Left the book's USDG beside the trade. */
  gasUsdgAtoms: bigint
  routeId: string
  block: number
  filledAtMs: number
}

/** A fill as it happens, with what the store does not keep. */
export interface FilledNow extends PaperFill {
  /** The route in words. */
  route: string
  risks: readonly Risk[]
}

export interface FillRequest {
  bookId: number
  /** Whose fee tier counts. */
  wallet: Address
  /** Core symbols or addresses. */
  tokenIn: string
  tokenOut: string
  /** Dollars at the input's price, or atoms of the input. */
  size: { microUsd: bigint } | { amountIn: bigint }
  terms: AgentTerms
  /** Runs in the fill's transaction: throwing undoes the fill. It may run again after a deadlock. */
  commit?(sql: Sql, fill: FilledNow): Promise<void>
}

export interface Holding {
  token: Address
  /** Null for a token the profile does not name. */
  symbol: string | null
  decimals: number | null
  atoms: bigint
  /** At its independent mark, rounded down; null without one. */
  microUsd: bigint | null
}

export interface BookNow {
  startMicroUsd: bigint
  openedAtS: number
  /** Only what is held. */
  balances: readonly Holding[]
  /** Null while anything held has no independent mark: what cannot be priced is never worth nothing. */
  equityMicroUsd: bigint | null
  unpriced: readonly Address[]
}

export interface Paper {
  /** Answers the id; of an owner that has one already, that one's. */
  openBook(sql: Sql, request: { owner: string; startMicroUsd: bigint; atS: number }): Promise<number>
  /**
   * Trades at a real quote of this size, less fee and gas, under the risk terms a live plan is judged by.
   * Balances, the fill and `commit` are one transaction. Refuses as a plan would; SIMULATION_FAILED when the
   * book holds too little.
   */
  fill(request: FillRequest): Promise<FilledNow>
  /** One read for many; unknown ids are absent. */
  bookNow(bookIds: readonly number[]): Promise<Map<number, BookNow>>
  /**
   * Keeps how high the books rose and how deep they fell, as they stand now; what has no price is left out.
   */
  recordEquity(bookIds: readonly number[]): Promise<void>
  /** Newest first. */
  fillsOf(bookId: number, page: { limit: number; before?: number }): Promise<PaperFill[]>
  /** Deletes old fills; answers how many. */
  sweep(): Promise<number>
  jobs: CapabilityJobs
}
