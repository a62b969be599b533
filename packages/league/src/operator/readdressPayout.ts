import type { VaultAgent } from '@pit/agent-registry'
import type { Address } from '@pit/chain'
import type { Sql } from '@pit/platform/db'
import { NATIVE_TOKEN } from '@pit/protocol'
import { LISTED, type Listing } from '../reserve/flagListed.ts'
import { lockSeason } from '../season/store.ts'
import { LeagueRefused } from './refused.ts'

/** The agent whose prize a place is, to look up in the registry. */
export async function payoutAgent(sql: Sql, season: number, place: number): Promise<string> {
  const [row] = await sql.query<{ agent_id: string }>(
    'select agent_id from league_payouts where season = $1 and place = $2',
    [season, place],
  )
  return row?.agent_id ?? refuseMissing(season, place)
}

const refuseMissing = (season: number, place: number): never => {
  throw new LeagueRefused(`season ${season} has no prize for place ${place}`)
}

export interface Readdressing extends Listing {
  season: number
  place: number
  /** As the registry has it now; null when it has no such agent. */
  agent: VaultAgent | null
}

interface OpenPayout {
  agent_id: string
  status: string
  recipient: Address
  tx_hash: string | null
  problem: string | null
  wallet: Address
  owner: Address
}

/**
 * Redirects an unpaid prize to the agent's current wallet in the registry: no address is typed. A prize held
 * back because its recipient is sanctioned is not redirected while the entry's wallet or owner is sanctioned
 * too.
 */
export async function readdressPayout(
  sql: Sql,
  { season, place, agent, isSanctioned }: Readdressing,
): Promise<{ from: Address; to: Address }> {
  await lockSeason(sql, season)
  const [payout] = await sql.query<OpenPayout>(
    `select p.agent_id, p.status, p.recipient, p.tx_hash, p.problem, e.wallet, e.owner
     from league_payouts p join league_entries e on e.id = p.entry_id
     where p.season = $1 and p.place = $2 for update of p`,
    [season, place],
  )
  if (!payout) return refuseMissing(season, place)
  if (payout.status === 'mined') throw new LeagueRefused(`place ${place} of season ${season} is paid`)
  if (payout.tx_hash !== null && payout.problem === null)
    throw new LeagueRefused(`${payout.tx_hash} may have paid it: wait until the chain confirms or drops it`)
  if (agent?.id !== payout.agent_id) throw new LeagueRefused(`the registry has no agent ${payout.agent_id}`)
  const to = agent.agentWallet === NATIVE_TOKEN ? payout.owner : agent.agentWallet
  if (to === payout.recipient)
    throw new LeagueRefused(`the registry still records ${to}; only the agent’s owner can change it`)
  for (const address of [to, payout.wallet, payout.owner, agent.owner, agent.beneficiary])
    if (await isSanctioned(address))
      throw new LeagueRefused(`${address}: ${LISTED.replace('the recipient ', '')}`)
  await sql.query(
    `update league_payouts set recipient = $3, tx_hash = null, problem = null, recorded_at_s = null
     where season = $1 and place = $2`,
    [season, place, to],
  )
  return { from: payout.recipient, to }
}
