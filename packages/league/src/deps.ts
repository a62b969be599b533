import type { AgentVault } from '@pit/agent-registry'
import type { HostedAgent, Paper } from '@pit/agents'
import type { Address, Crypto } from '@pit/chain'
import type { History } from '@pit/history'
import type { Clock } from '@pit/platform/clock'
import type { Db, Sql } from '@pit/platform/db'
import type { Logger } from '@pit/platform/monitoring'
import type { Rpc } from '@pit/platform/rpc'
import { type ChainProfile, fail } from '@pit/protocol'

/** Dependencies of the league. */
export interface LeagueDeps {
  db: Db
  rpc: Pick<Rpc, 'request' | 'batch'>
  clock: Clock
  crypto: Pick<Crypto, 'recoverMessage'>
  logger: Pick<Logger, 'info' | 'warn' | 'error'>
  profile: ChainProfile
  /** Start of season 1; null if no league is run here. */
  firstSeasonS: number | null
  /** Null if the chain has no agent registry; entries are then impossible. */
  vault: AgentVault | null
  isSanctioned(address: Address): boolean
  /** Null if this server does not run hosted agents. */
  hosted: { agentOf(id: string): Promise<HostedAgent | null> } | null
  /** Division of an account; null if the account is unknown. */
  accounts: { divisionOf(sql: Sql, accountId: number): Promise<string | null> }
  paper: Pick<Paper, 'openBook' | 'fill' | 'bookNow' | 'fillsOf' | 'recordEquity'>
  history: Pick<History, 'append' | 'read'>
  /** The domain wallets sign in to; statements name it. */
  domain: string
  randomBytes(size: number): Uint8Array
}

/** Who plays: the signed-in wallet and its account. */
export interface Player {
  wallet: Address
  accountId: number
}

/** Start of season 1; fails if no league is run here. */
export const firstSeasonOf = ({ firstSeasonS }: Pick<LeagueDeps, 'firstSeasonS'>): number =>
  firstSeasonS ?? fail('LEAGUE_UNAVAILABLE', { message: 'No league is run here.' })
