import type { Answer } from '@pit/protocol'
import type { ClientDeps, VerbOptions } from '../deps.ts'
import { isRefusal, PitRefusal } from '../errors.ts'
import { type RecordedSession, recordedSessions } from './recordedSessions.ts'
import { type RevokedSession, revokeSession } from './revokeSession.ts'

export interface StoppedAgent {
  agent: Answer<'hosted.stop'>
  /** Sessions of the agent's executor by the local records, before anything was ended on chain. */
  sessions: readonly RecordedSession[]
  /** Sessions ended on chain by this call. */
  revoked: readonly RevokedSession[]
}

/**
 * Stops an agent permanently. With `onChain` every session signed for its executor is ended on chain as well, whatever
 * the answer lists and also if the service fails.
 * @param agentId the agent
 * @param options `onChain` ends its sessions with the wallet's transactions
 * @returns the agent, and the state of every session signed for its executor
 * @throws REVOCATION_INCOMPLETE a session is not proven to be over
 * @example
 * ```ts
 * const stopLive = (id: string) => client.hosted.stop(id, { onChain: true })
 * ```
 */
export async function stopAgent(
  deps: ClientDeps,
  agentId: string,
  { onChain = false, ...options }: { onChain?: boolean } & VerbOptions = {},
): Promise<StoppedAgent> {
  const record = await deps.records.agent(agentId)
  const stopped = await deps.api['hosted.stop']({ params: { id: agentId } }, options).catch(
    (error: unknown) => {
      if (!isRefusal(error)) throw error
      return error
    },
  )
  const executors = new Set([
    record?.executor,
    isRefusal(stopped) ? undefined : stopped.executor?.toLowerCase(),
  ])
  const { sessions: all } = await recordedSessions(deps, options)
  const sessions = all.filter(({ executor }) => executors.has(executor))
  const listed = isRefusal(stopped) ? [] : (stopped.session_revoke?.sessions ?? [])
  const ids = new Set([
    ...sessions.flatMap(({ session_id, state }) => (state === 'alive' ? [session_id] : [])),
    ...listed.map(({ session_id }) => session_id),
  ])
  const revoked: RevokedSession[] = []
  const failed: PitRefusal[] = []
  for (const sessionId of onChain ? ids : []) {
    try {
      revoked.push(await revokeSession(deps, { sessionId }, options))
    } catch (error) {
      if (!isRefusal(error)) throw error
      failed.push(error)
    }
  }
  if (failed.length > 0) throw notEnded(agentId, failed)
  if (isRefusal(stopped)) throw stopped
  return { agent: stopped, sessions, revoked }
}

const notEnded = (agentId: string, failed: readonly PitRefusal[]): PitRefusal =>
  new PitRefusal(
    'REVOCATION_INCOMPLETE',
    `Agent ${agentId} may still trade. ${failed.map(({ message }) => message).join(' ')}`,
    {
      retry: failed[0]!.retry,
      hint: 'Revoke its sessions one by one.',
      details: {
        live_roots: failed.flatMap(({ details }) => (details['live_roots'] as string[] | undefined) ?? []),
      },
      cause: failed[0],
    },
  )
