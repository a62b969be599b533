import type { Address, Hex } from '@pit/chain'
import type { HoldCode } from '@pit/protocol'
import type { Session } from '@pit/sessions'
import type { AgentToken, HostedAgent, TradeFee } from '../types.ts'

/** An agent whose tick a worker has taken: nobody else ticks it while the lease is kept. */
export interface ClaimedAgent extends HostedAgent {
  /** What a decision was made from: see `recordDecisions`. */
  revision: number
  /** The lease's holder, made anew for every claim. */
  claim: string
  /** When it was to tick. */
  dueMs: number
  errorsInARow: number
}

/** Whether an agent plays the practice board, and may now; null when it does not play. */
export type PracticeGate = (
  agentId: string,
) => Promise<
  | null
  | { bookId: number }
  | { hold: 'SEASON_CLOSED' | 'LEAGUE_BOOK_PENDING' | 'LEAGUE_UNAVAILABLE'; message: string }
>

/** An order that was begun by an earlier tick and has not ended, with what the relay knows of it. */
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
  /** As it was signed; null before. */
  fee: TradeFee | null
  trade: { id: number; status: string } | null
}

/** What a wallet holds, as far as it could be read. */
export type Held = ReadonlyMap<Address, bigint | null>

export interface TokenHold {
  code: HoldCode
  message: string
}

/** What is held about the tokens of an order before anything is asked for it; null when nothing is. */
export type FindTokenHold = (
  agent: HostedAgent,
  ends: readonly AgentToken[],
  session: Session | null,
) => Promise<TokenHold | null>
