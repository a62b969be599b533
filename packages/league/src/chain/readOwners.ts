import type { AgentVault } from '@pit/agent-registry'
import { nowS } from '@pit/platform/clock'
import type { LeagueDeps } from '../deps.ts'

const MAX_PER_RUN = 100
const REREAD_AFTER_S = 900

/** Reads the current owners of entered agents from the registry, the oldest readings first. */
export async function readOwners({
  db,
  clock,
  vault,
}: Pick<LeagueDeps, 'db' | 'clock'> & { vault: AgentVault }): Promise<number> {
  const now = nowS(clock)
  const due = await db.query<{ agent_id: string }>(
    `select o.agent_id from league_owners o
     where o.read_at_s < $1 and exists (
       select 1 from league_entries e where e.agent_id = o.agent_id and (e.left_at_s is null or exists (
         select 1 from league_books b join league_seasons s on s.number = b.season
         where b.entry_id = e.id and s.state in ('open', 'closing', 'provisional'))))
     order by o.read_at_s limit $2`,
    [now - REREAD_AFTER_S, MAX_PER_RUN],
  )
  if (due.length === 0) return 0
  const ids = due.map(({ agent_id }) => agent_id)
  // While the registry cannot be reached the last reading stands: this throws, and nothing is written.
  const agents = await vault.agents(ids)
  const statuses = agents.map((agent) =>
    agent === undefined ? 'unreadable' : agent === null ? 'gone' : 'read',
  )
  await db.query(
    `update league_owners o set status = given.status, read_at_s = $2,
       owner = coalesce(given.owner, o.owner), agent_wallet = coalesce(given.agent_wallet, o.agent_wallet),
       beneficiary = coalesce(given.beneficiary, o.beneficiary)
     from unnest($1::text[], $3::text[], $4::text[], $5::text[], $6::text[])
       as given (agent_id, status, owner, agent_wallet, beneficiary)
     where o.agent_id = given.agent_id`,
    [
      ids,
      now,
      statuses,
      agents.map((agent) => agent?.owner ?? null),
      agents.map((agent) => agent?.agentWallet ?? null),
      agents.map((agent) => agent?.beneficiary ?? null),
    ],
  )
  return ids.length
}
