import type { AgentVault, VaultAgent } from '@pit/agent-registry'
import type { Division } from '@pit/league/rules'
import type { Clock } from '@pit/platform/clock'
import type { Db, Sql } from '@pit/platform/db'
import type { JobState } from '@pit/platform/jobs'
import type { Rpc } from '@pit/platform/rpc'
import type { ChainProfile } from '@pit/protocol'
import type { SignerClient } from '@pit/signer-wire'
import type { Treasury } from '@pit/treasury'

/** The action is refused; the message is for the operator. */
export class OperatorRefused extends Error {
  override readonly name = 'OperatorRefused'
}

export interface OperatorDeps {
  db: Db
  rpc: Rpc
  clock: Clock
  profile: ChainProfile
  treasury: Pick<Treasury, 'closeWeek' | 'recordTransfer' | 'state'>
  /** The server's signer client, for its status; null without a signer. */
  signer: Pick<SignerClient, 'health'> | null
  league: LeagueActs
  /** The agent registry; null if the chain has none. */
  vault: Pick<AgentVault, 'agent'> | null
  isSanctioned: IsSanctioned
  /** State of this process's jobs; absent if the operator works on the store alone. */
  jobs?(): JobState[]
}

/** By the current list. */
type IsSanctioned = (address: string) => boolean | Promise<boolean>

/** League actions, each in the transaction passed in. */
export interface LeagueActs {
  reviewRule(
    sql: Sql,
    review: {
      season: number
      entryId: number
      rule: string
      status: 'pass' | 'fail'
      reason: string
      operator: string
      atS: number
    },
  ): Promise<unknown>
  admitEntry(sql: Sql, admission: { entryId: number }): Promise<{ season: number }>
  settleSeason(
    sql: Sql,
    settlement: {
      season: number
      profile: ChainProfile
      atS: number
      isSanctioned: IsSanctioned
      partnerPriceE18?: bigint
      gain?: bigint
    },
  ): Promise<unknown>
  recordPayout(
    sql: Sql,
    payout: { season: number; place: number; txHash: string; atS: number; isSanctioned: IsSanctioned },
  ): Promise<unknown>
  openPayouts(sql: Sql): Promise<unknown>
  /** Winner of the prize. */
  payoutAgent(sql: Sql, season: number, place: number): Promise<string>
  readdressPayout(
    sql: Sql,
    request: { season: number; place: number; agent: VaultAgent | null; isSanctioned: IsSanctioned },
  ): Promise<{ from: string; to: string }>
  setDivision(sql: Sql, request: { wallet: string; division: Division }): Promise<{ before: string }>
  recordWithdrawal(
    sql: Sql,
    withdrawal: { season: number; txHash: string | null; amount: bigint; atS: number; note: string | null },
  ): Promise<unknown>
}

/** One operator command. */
export interface Ask {
  name: string
  /** Name of the operator; recorded with the action. */
  operator: string
  reason: string | null
  input: Record<string, unknown>
}

/** In this process, or over a running server's socket. */
export interface Operator {
  act(request: Ask): Promise<unknown>
}
