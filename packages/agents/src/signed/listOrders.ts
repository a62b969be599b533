import { nowS } from '@pit/platform/clock'
import type { AgentRequest, HostedDeps } from '../deps.ts'
import { findOwned, type StoredAgent } from '../store.ts'
import { placeOf } from './place.ts'
import { countOpen, newestLists, openLists, type StoredList } from './store.ts'
import { describeWanted, readWanted, type WantedSignature } from './wanted.ts'

export interface AgentOrders {
  agent: StoredAgent
  /** Newest first. */
  lists: StoredList[]
  wanted: WantedSignature[]
}

export async function listOrders(
  deps: HostedDeps,
  { onlyOpen, limit, ...request }: AgentRequest & { onlyOpen: boolean; limit: number },
): Promise<AgentOrders> {
  const { db, clock } = deps
  const agent = await findOwned(db, request)
  const nowMs = clock.nowMs()
  const lists = onlyOpen
    ? (await openLists(db, [agent.id], nowMs)).reverse()
    : await newestLists(db, { agentId: agent.id, limit }, nowMs)
  const requests = await readWanted(db, agent.id, nowS(clock))
  return { agent, lists, wanted: requests.map((one) => describeWanted(placeOf(deps), one)) }
}

/** Counts for the agent's detail; null for an agent that has nothing to do with signed orders. */
export async function summariseOrders(
  { db, clock }: Pick<HostedDeps, 'db' | 'clock'>,
  { id, brain, mode }: StoredAgent,
): Promise<{ open: number; wanted: number } | null> {
  if (brain !== 'orders' && mode === 'paper') return null
  const [open, wanted] = [await countOpen(db, id), (await readWanted(db, id, nowS(clock))).length]
  return brain === 'orders' || open + wanted > 0 ? { open, wanted } : null
}
