import type { Clock } from '@pit/platform/clock'
import type { Db, Sql } from '@pit/platform/db'
import type { Rpc } from '@pit/platform/rpc'
import type { SignerClient } from '@pit/platform/signerClient'
import type { ChainProfile } from '@pit/protocol'
import type { Treasury } from '../features/treasury/index.ts'

/** What was asked cannot be done, or not now; the message is for the person who asked. */
export class OperatorRefused extends Error {
  override readonly name = 'OperatorRefused'
}

export interface OperatorDeps {
  db: Db
  rpc: Rpc
  clock: Clock
  profile: ChainProfile
  treasury: Pick<Treasury, 'closeWeek' | 'recordTransfer' | 'state'>
  /** The server's own way to the signer, to ask how it is; null where there is none. */
  signer: Pick<SignerClient, 'health'> | null
  league: LeagueActs | null
}

/** Writes what the operator did; part of the same transaction as what it did. */
export type Alongside = (sql: Sql) => Promise<void>

/** What an operator may do to the league; each calls `alongside` in the transaction it acts in. */
export interface LeagueActs {
  reviewRule(
    ask: {
      season: number
      entryId: number
      rule: string
      status: 'pass' | 'fail'
      reason: string
      operator: string
    },
    alongside: Alongside,
  ): Promise<unknown>
  settleSeason(ask: { season: number; operator: string }, alongside: Alongside): Promise<unknown>
  recordPayout(
    ask: { season: number; place: number; txHash: `0x${string}`; operator: string },
    alongside: Alongside,
  ): Promise<unknown>
}

/** One thing an operator asks for. */
export interface Ask {
  name: string
  /** Who asks; kept with what was done. */
  operator: string
  reason: string | null
  input: Record<string, unknown>
}

/** However it is reached: in this process, or over a running server's socket. */
export interface Operator {
  act(ask: Ask): Promise<unknown>
}
