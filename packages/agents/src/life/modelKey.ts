import type { Address } from '@pit/chain'
import { type ConnectedKey, mayUseOwnKey } from '@pit/models'
import type { Sql } from '@pit/platform/db'
import { storeChange } from '../change.ts'
import type { HostedDeps } from '../deps.ts'
import { listLiveModels, lockWallet, readAgent } from '../store.ts'
import { listStale } from './stale.ts'

/** Connects the owner's own model key; returns the agents that it detached. */
export async function connectModelKey(
  deps: HostedDeps,
  { wallet, key }: { wallet: Address; key: string },
): Promise<ConnectedKey & { detached: string[] }> {
  const steered = steeredByKey(deps, wallet)
  const connected = await deps.brains.connectKey({ wallet, key, onChange: steered.detach })
  return { ...connected, detached: await steered.finish() }
}

export async function disconnectModelKey(deps: HostedDeps, wallet: Address): Promise<{ detached: string[] }> {
  const steered = steeredByKey(deps, wallet)
  await deps.brains.disconnectKey({ wallet, onChange: steered.detach })
  return { detached: await steered.finish() }
}

/** Detaches live agents whose model call the key may pay for, in the transaction that changes the key. */
function steeredByKey(deps: HostedDeps, wallet: Address) {
  const detached: string[] = []
  const changed: string[] = []
  return {
    async detach(sql: Sql): Promise<void> {
      // Agents created from now on are granted sessions after the change.
      await lockWallet(sql, wallet)
      for (const agent of await listLiveModels(sql, wallet)) {
        if (!mayUseOwnKey(agent)) continue
        await storeChange(sql, agent, { patch: {}, inputs: ['model_key'] }, deps.clock.nowMs())
        changed.push(agent.id)
        if (agent.sessionId !== null) detached.push(agent.id)
      }
    },
    async finish(): Promise<string[]> {
      for (const id of changed) {
        const agent = await readAgent(deps.db, id)
        if (agent) await listStale(deps, agent)
      }
      return detached
    },
  }
}
