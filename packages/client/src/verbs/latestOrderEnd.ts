import type { ClientDeps, VerbOptions } from '../deps.ts'
import { readAgentSession } from '../orders/agentSession.ts'

/**
 * Latest time at which an agent's orders may end: when its session ends, by the local record.
 * @param agentId the agent
 * @param options `signal`
 * @returns Unix seconds; null on paper, where no session bounds them
 * @throws SESSION_NEEDED a live agent has no session that this client signed
 * @example
 * ```ts
 * console.log(await client.orders.latestEnd(agent.id))
 * ```
 */
export async function latestOrderEnd(
  deps: ClientDeps,
  agentId: string,
  options: VerbOptions = {},
): Promise<number | null> {
  return (await readAgentSession(deps, agentId, options))?.expiresS ?? null
}
