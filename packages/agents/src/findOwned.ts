import type { Caller } from '@pit/platform/call'
import { fail } from '@pit/protocol'
import type { HostedDeps } from './deps.ts'
import { readAgent, type StoredAgent } from './store.ts'

/** The caller's own agent. One that never was is NOT_FOUND, and so is a deleted one; another wallet's is FORBIDDEN. */
export async function findOwned(
  deps: Pick<HostedDeps, 'db'>,
  caller: Caller,
  id: string,
): Promise<StoredAgent> {
  const agent = await findOwnedOrDeleted(deps, caller, id)
  return agent.deletedAtS === null ? agent : fail('NOT_FOUND', { message: 'This agent was deleted.' })
}

/** The same for what outlives an agent: its executor and the gas on it. */
export async function findOwnedOrDeleted(
  { db }: Pick<HostedDeps, 'db'>,
  { key }: Caller,
  id: string,
): Promise<StoredAgent> {
  const wallet = key?.wallet ?? fail('WALLET_NOT_BOUND')
  const agent = (await readAgent(db, id)) ?? fail('NOT_FOUND', { message: 'There is no such agent.' })
  return agent.wallet === wallet ? agent : fail('FORBIDDEN')
}
