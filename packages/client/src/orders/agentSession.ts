import type { Address, Hex } from '@pit/chain'
import { boundControls } from '@pit/protocol'
import type { ClientDeps, VerbOptions } from '../deps.ts'
import { must, PitRefusal } from '../errors.ts'

/** The session that an agent's orders belong to, by the client's own record; null for a paper agent. */
export interface AgentSession {
  /** Hash of the main root. */
  hash: Hex
  tokens: readonly Address[]
  expiresS: number
}

/** A session the client did not sign itself is refused, whatever the server says of it. */
export async function readAgentSession(
  { api, records }: ClientDeps,
  agentId: string,
  { signal }: VerbOptions,
): Promise<AgentSession | null> {
  const agent = await api['hosted.get']({ params: { id: agentId } }, { signal })
  must(agent.id === agentId, 'EXECUTOR_ATTESTATION', 'the response is about another agent')
  if (agent.mode === 'paper') {
    // Otherwise orders of a live agent would pass for cancelled without a receipt.
    const isLive = (await records.agent(agentId)) !== null
    must(!isLive, 'EXECUTOR_ATTESTATION', 'the server calls an agent paper that was created live')
    return null
  }
  const record = agent.session_id === null ? null : await records.session(agent.session_id)
  if (!record)
    throw new PitRefusal('SESSION_NEEDED', 'The agent has no session that was signed on this machine.', {
      hint: 'Start it with a session with controls here: pit agent live AGENT --signature-above 0.',
    })
  const isItsOwn = record.executor === agent.executor?.toLowerCase()
  must(isItsOwn, 'EXECUTOR_ATTESTATION', 'the session was granted to another executor')
  if (!boundControls(record.binding))
    throw new PitRefusal('SESSION_NEEDED', 'The agent’s session has no controls, so it takes no orders.', {
      hint: 'Grant a new session with controls: pit agent live AGENT --signature-above 0.',
    })
  return { hash: record.roots[0]!.hash, tokens: record.binding.tokens, expiresS: record.binding.expires_at }
}
