import type { Address, Hex } from '@pit/chain'
import { boundControls } from '@pit/protocol'
import type { ClientDeps, VerbOptions } from '../deps.ts'
import { must, PitRefusal } from '../errors.ts'
import { checkExecutor } from '../verbs/owners.ts'

/** The session that an agent's new orders belong to, by the client's own record; null for a paper agent. */
export interface AgentSession {
  id: string
  /** Hash of the main root. */
  hash: Hex
  tokens: readonly Address[]
  expiresS: number
}

/** A session that the client did not sign itself, or for another executor, is refused whatever the server says. */
export async function readAgentSession(
  deps: ClientDeps,
  agentId: string,
  { signal }: VerbOptions,
): Promise<AgentSession | null> {
  const { api, records } = deps
  const agent = await api['hosted.get']({ params: { id: agentId } }, { signal })
  must(agent.id === agentId, 'EXECUTOR_ATTESTATION', 'the response is about another agent')
  if (agent.mode === 'paper') {
    const isLive = (await records.agent(agentId)) !== null
    must(!isLive, 'EXECUTOR_ATTESTATION', 'the server calls an agent paper that was created live')
    return null
  }
  const record = agent.session_id === null ? null : await records.session(agent.session_id)
  if (!record)
    throw new PitRefusal('SESSION_NEEDED', 'The agent has no session that was signed on this machine.', {
      hint: 'Start it with a session with controls here: pit agent live AGENT --signature-above 0.',
    })
  const own = await records.agent(agentId)
  const isItsOwn =
    own?.executor === record.executor ||
    (await attestedExecutor(deps, agentId, { signal })) === record.executor
  must(isItsOwn, 'EXECUTOR_ATTESTATION', 'the session was granted to another executor')
  if (!boundControls(record.binding))
    throw new PitRefusal('SESSION_NEEDED', 'The agent’s session has no controls, so it takes no orders.', {
      hint: 'Grant a new session with controls: pit agent live AGENT --signature-above 0.',
    })
  return {
    id: record.session_id,
    hash: record.roots[0]!.hash,
    tokens: record.binding.tokens,
    expiresS: record.binding.expires_at,
  }
}

/** The executor of a live agent, as the pinned co-signer attests it. */
export async function attestedExecutor(
  deps: ClientDeps,
  agentId: string,
  { signal }: VerbOptions,
): Promise<Address> {
  const params = { id: agentId }
  const { executor, executor_attestation } = await deps.api['hosted.executor']({ params }, { signal })
  return checkExecutor(deps, { id: agentId, executor, executor_attestation })
}
