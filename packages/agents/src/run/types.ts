import type { Address, Hex } from '@pit/chain'
import type { HoldCode } from '@pit/protocol'
import type { Session } from '@pit/sessions'
import type { AgentToken, HostedAgent, TradeFee } from '../types.ts'

/** An agent whose tick a worker has leased exclusively. */
export interface ClaimedAgent extends HostedAgent {
  /** Version that the decision is based on: see `recordDecisions`. */
  revision: number
  /** Lease holder id, new for every claim. */
  claim: string
  /** Due time of the tick. */
  dueMs: number
  errorsInARow: number
}

/** Whether an agent is on the practice board and may trade now; null if it is not on the board. */
export type PracticeGate = (
  agentId: string,
) => Promise<
  | null
  | { bookId: number }
  | { hold: 'SEASON_CLOSED' | 'LEAGUE_BOOK_PENDING' | 'LEAGUE_UNAVAILABLE'; message: string }
>

/** An unfinished order of an earlier tick, with the relay's record. */
export interface OpenOrder {
  id: number
  agentId: string
  tick: number
  n: number
  pair: string
  side: 'buy' | 'sell'
  microUsd: bigint
  status: 'intended' | 'signed' | 'relayed'
  txHash: Hex | null
  createdAtMs: number
  /** Fee as signed; null before signing. */
  fee: TradeFee | null
  trade: { id: number; status: string; amountOut?: bigint | null } | null
  /** The signed order that it carries out. */
  signedOrderId?: Hex | null
}

/** The part of a signed order that an order carries out. */
export interface SignedPart {
  id: Hex
  part: number
  amountIn: bigint
  /** 0 for a market order. */
  minAmountOut: bigint
  maxSlippageBps: number
  rounds: readonly string[]
}

/** Balances of a wallet; null if unreadable. */
export type Held = ReadonlyMap<Address, bigint | null>

export interface TokenHold {
  code: HoldCode
  message: string
}

/** First hold on the tokens of an order, checked before planning; null if there is none. */
export type FindTokenHold = (
  agent: HostedAgent,
  ends: readonly AgentToken[],
  session: Session | null,
) => Promise<TokenHold | null>
