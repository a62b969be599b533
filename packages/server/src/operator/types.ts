import type { AgentVault } from '@pit/agent-registry'
import type { Clock } from '@pit/platform/clock'
import type { Db } from '@pit/platform/db'
import type { JobState } from '@pit/platform/jobs'
import type { Rpc } from '@pit/platform/rpc'
import type { ChainProfile } from '@pit/protocol'
import type { SignerClient } from '@pit/signer-wire'
import type { Treasury } from '@pit/treasury'
import type { LEAGUE } from './league.ts'

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
  /** By the current list. */
  isSanctioned(address: string): boolean | Promise<boolean>
  /** State of this process's jobs; absent if the operator works on the store alone. */
  jobs?(): JobState[]
}

/** League actions, each in the transaction passed in. */
export type LeagueActs = typeof LEAGUE

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
