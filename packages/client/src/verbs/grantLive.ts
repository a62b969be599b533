import type { Address } from '@pit/chain'
import type { Answer } from '@pit/protocol'
import type { ClientDeps } from '../deps.ts'
import { must, PitRefusal } from '../errors.ts'
import type { AgentRecord } from '../records.ts'
import type { GrantParams } from '../verify/grant.ts'
import { type Granted, type GrantOptions, grantSession } from './grantSession.ts'
import { handOverSignature } from './handOverSignature.ts'
import { checkExecutor, tokensOf } from './owners.ts'

/**
 * The owner's bounds for a live agent. A missing field comes from the local record of `hosted.create`.
 * @public
 */
export interface LiveIntent
  extends Pick<
    GrantParams,
    'max_trades' | 'expires_in_s' | 'setup_budget_usd' | 'accept_risks' | 'shield' | 'policies' | 'controls'
  > {
  pairs?: readonly string[]
  max_trade_usd?: number
  max_day_usd?: number
}
export interface GrantLiveOptions extends GrantOptions {
  /** A session granted to the agent's executor before; otherwise one is granted now. */
  sessionId?: string
  /** Runs once agent and executor are verified, before anything is granted: the place to send gas. */
  beforeGrant?(executor: Address): Promise<void>
}
export interface GrantedLive {
  agent: Answer<'hosted.update'>
  /** Null with `sessionId`. */
  granted: Granted | null
}

/**
 * Lets a live agent trade: verifies it against the owner's intent, grants, attaches and switches it on.
 * @param agentId the agent
 * @param intent pairs and limits; missing fields come from the local record of `hosted.create`
 * @param options `beforeGrant` is the place to send gas to the executor
 * @returns the agent, and the granted session
 * @throws INTENT_NEEDED there is no local record and `intent` lacks pairs or limits
 * @throws VERIFICATION_FAILED the server reports the agent wider than the intent (GRANT_CAPS)
 * @throws CONSENT_REQUIRED the wallet has no code yet: pass `allow7702`
 * @throws RECEIPT_MISSING the session was granted, but the agent is not confirmed to use it (`details.session_id`)
 * @example
 * ```ts
 * const goLive = (id: string) => client.hosted.grantLive(id, { max_trade_usd: 10 }, { allow7702: true })
 * ```
 */
export async function grantLive(
  deps: ClientDeps,
  agentId: string,
  intent: LiveIntent = {},
  options: GrantLiveOptions = {},
): Promise<GrantedLive> {
  await deps.checked()
  const { api, records } = deps
  const { signal, sessionId, beforeGrant, ...grant } = options
  // With a session that was signed before nothing is signed now, so there is nothing to widen.
  const bounds = sessionId === undefined ? boundsOf(intent, await records.agent(agentId)) : null
  const params = { id: agentId }
  const agent = await api['hosted.get']({ params }, { signal })
  const executor = await executorOf(deps, agentId, agent)
  if (bounds) checkWithin(agent, bounds)
  if (sessionId !== undefined) await checkSession(deps, sessionId, executor)
  // Before anything is spent on an executor that could not be granted a session now.
  await deps.rpc.mustBeFresh()
  await beforeGrant?.(executor)
  const granted = bounds && (await grantSession(deps, { ...askOf(bounds), executor }, { ...grant, signal }))
  const id = granted?.terms.sessionId ?? sessionId!
  const attach = async () => {
    await api['hosted.session']({ params, body: { session_id: id } }, { signal })
    return api['hosted.update']({ params, body: { live: true } }, { signal })
  }
  // A session that was granted here is alive, so nothing may be granted again.
  const handed = {
    what: `session ${id} of agent ${agentId}`,
    toEnd: `Do not grant another. Switch the agent on with session ${id}, or revoke that session to end it.`,
    details: { session_id: id, agent_id: agentId },
  }
  const isOn = (one: Answer<'hosted.update'>) => one.id === agentId && one.live && one.session_id === id
  return { agent: await (granted ? handOverSignature(handed, attach, isOn) : attach()), granted }
}

interface Bounds extends Omit<LiveIntent, 'pairs' | 'max_trade_usd' | 'max_day_usd'> {
  pairs: readonly string[]
  max_trade_usd: number
  max_day_usd: number
  max_position_usd: number | null
}

function boundsOf(intent: LiveIntent, record: AgentRecord | null): Bounds {
  const pairs = intent.pairs ?? record?.pairs
  const max_trade_usd = intent.max_trade_usd ?? record?.limits.max_trade_usd
  const max_day_usd = intent.max_day_usd ?? record?.limits.max_day_usd
  if (!pairs || max_trade_usd === undefined || max_day_usd === undefined)
    throw new PitRefusal(
      'INTENT_NEEDED',
      'No record of this agent is kept here, so its pairs and limits cannot be verified.',
      { hint: 'Give its pairs, its maximum per trade and its maximum per day yourself.' },
    )
  const { accept_risks, shield, policies } = record?.terms ?? {}
  return {
    ...(accept_risks && { accept_risks: accept_risks as GrantParams['accept_risks'] }),
    ...(shield !== undefined && { shield }),
    ...(policies && { policies: policies as GrantParams['policies'] }),
    ...intent,
    pairs,
    max_trade_usd,
    max_day_usd,
    max_position_usd: record?.limits.max_position_usd ?? null,
  } as Bounds
}

const askOf = ({ pairs, max_position_usd: _, ...terms }: Bounds): Omit<GrantParams, 'executor'> => ({
  ...terms,
  tokens: tokensOf(pairs),
})

async function executorOf(deps: ClientDeps, agentId: string, agent: Answer<'hosted.get'>): Promise<Address> {
  must(agent.id === agentId, 'EXECUTOR_ATTESTATION', 'the response is about another agent')
  const isLive = agent.mode === 'live' && agent.executor !== null
  if (!isLive) throw new PitRefusal('NOT_LIVE', 'This is a paper agent. Create a live one instead.')
  const { executor_attestation } = await deps.api['hosted.executor']({ params: { id: agentId } })
  return checkExecutor(deps, { id: agentId, executor: agent.executor, executor_attestation })
}

/** An agent that is answered wider than the owner bounds it is not what the owner agreed to. */
function checkWithin(agent: Answer<'hosted.get'>, bounds: Bounds): void {
  const { limits, pairs, terms } = agent
  const narrow = (field: string, isWithin: boolean, answered: unknown, own: unknown) =>
    must(isWithin, 'GRANT_CAPS', `the agent’s ${field} is wider than requested`, {
      field,
      answered,
      asked: own,
    })
  const most = (field: keyof typeof limits, own: number | null) =>
    narrow(field, own === null || limits[field] <= own, limits[field], own)
  most('max_trade_usd', bounds.max_trade_usd)
  most('max_day_usd', bounds.max_day_usd)
  most('max_position_usd', bounds.max_position_usd)
  const isIn = (list: readonly string[], own: readonly string[]) => list.every((one) => own.includes(one))
  const accepted = bounds.accept_risks ?? []
  narrow('pairs', isIn(pairs, bounds.pairs), pairs, bounds.pairs)
  narrow('accepted risks', isIn(terms.accept_risks, accepted), terms.accept_risks, accepted)
  narrow('shield', terms.shield || !bounds.shield, terms.shield, bounds.shield)
  const policies = bounds.policies || []
  narrow('policies', isIn(policies, terms.policies ?? []), terms.policies, policies)
}

/** A session that was recorded must be this executor's; others are the service's to refuse. */
async function checkSession({ records }: ClientDeps, sessionId: string, executor: Address): Promise<void> {
  const record = await records.session(sessionId)
  const isOfIt = record === null || record.executor === executor
  must(isOfIt, 'EXECUTOR_ATTESTATION', 'the session was granted to another executor')
}
