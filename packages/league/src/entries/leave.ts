import type { Address } from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import { type Answer, type Board, fail } from '@pit/protocol'
import { firstSeasonOf, type LeagueDeps, type Player } from '../deps.ts'
import { describeEntry } from './describeEntry.ts'
import { activeForAgent, activeForEntrant, markLeft, type StoredEntry } from './store.ts'

export interface LeaveParams {
  agentId?: string | undefined
  board?: Board | undefined
  hostedId?: string | undefined
}

/** Ends an entry at once. */
export async function leave(
  deps: LeagueDeps,
  player: Player,
  request: LeaveParams,
): Promise<Answer<'league.leave'>> {
  const firstSeasonS = firstSeasonOf(deps)
  const entry = await findEntry(deps, player, request)
  if (!entry) fail('NOT_ENTERED')
  if (!(await mayRemove(deps, player.wallet, entry, request.agentId !== undefined))) fail('FORBIDDEN')
  const atS = nowS(deps.clock)
  const left = (await markLeft(deps.db, entry.id, atS)) ?? fail('NOT_ENTERED')
  return { ...describeEntry(left, firstSeasonS, atS), note: 'It may enter again for the next season.' }
}

async function findEntry(
  { db }: LeagueDeps,
  { wallet, accountId }: Player,
  { board, hostedId, agentId }: LeaveParams,
): Promise<StoredEntry | null> {
  const where = board ?? (hostedId === undefined ? 'prize' : 'practice')
  if (agentId !== undefined) {
    const entry = await activeForAgent(db, where, agentId)
    return entry && (hostedId === undefined || entry.hosted_id === hostedId) ? entry : null
  }
  if (hostedId !== undefined)
    return where === 'prize' ? null : activeForEntrant(db, { kind: 'hosted', wallet, hostedId })
  return where === 'prize'
    ? activeForEntrant(db, { kind: 'wallet', wallet })
    : activeForEntrant(db, { kind: 'account', wallet, accountId })
}

/** The entering wallet; if the agent was named, also its owner, as recorded or as in the registry now. */
async function mayRemove(
  { vault }: LeagueDeps,
  wallet: Address,
  entry: StoredEntry,
  byAgent: boolean,
): Promise<boolean> {
  if (entry.wallet === wallet) return true
  if (!byAgent) return false
  if (entry.owner === wallet) return true
  const agent = await vault?.agent(entry.agent_id).catch(() => null)
  return agent?.owner === wallet
}

/** A hosted agent that was stopped or deleted leaves too. */
export async function leaveHosted({ db, clock }: LeagueDeps, hostedId: string): Promise<void> {
  await db.query('update league_entries set left_at_s = $2 where hosted_id = $1 and left_at_s is null', [
    hostedId,
    nowS(clock),
  ])
}
