import type { Address, Hex } from '@pit/chain'
import {
  type Answer,
  type Board,
  type BodyInput,
  CHAIN_ID,
  canonicalJson,
  type EntrantKind,
  executorAttestationText,
  type Json,
  LEAGUE,
  statementText,
  stockAttestationText,
} from '@pit/protocol'
import { recoverMessageAddress } from 'viem'
import { normalized } from '../account.ts'
import type { ClientDeps, VerbOptions } from '../deps.ts'
import { broken, must, refuse } from '../errors.ts'
import { type AgentRecord, isRecordId } from '../records.ts'
import { handOverSignature } from './handOverSignature.ts'

/**
 * Creates a hosted agent; a live one's executor must be attested by the pinned co-signer, for this owner.
 * @param body brain, pairs and limits; `mode: 'live'` for one that trades your wallet
 * @param options `signal`
 * @returns the agent, with its webhook secret once
 * @throws VERIFICATION_FAILED the executor is not attested (EXECUTOR_ATTESTATION)
 * @example
 * ```ts
 * const agent = await client.hosted.create({
 *   brain: 'orders',
 *   params: {},
 *   interval_s: 60,
 *   pairs: ['ETH/USDG'],
 *   limits: { max_trade_usd: 50, max_day_usd: 100, max_position_usd: 200 },
 * })
 * console.log(agent.id, agent.mode)
 * ```
 */
export async function createAgent(
  deps: ClientDeps,
  body: BodyInput<'hosted.create'>,
  options: VerbOptions = {},
): Promise<Answer<'hosted.create'>> {
  await deps.checked()
  const agent = await deps.api['hosted.create']({ body }, options)
  // By the request: a live agent that is answered as a paper one is checked all the same.
  if (body.mode === 'live' || agent.mode === 'live') {
    const executor = await checkExecutor(deps, agent)
    await recordAgent(deps, body, { id: agent.id, executor })
  }
  return agent
}

/** Stores the owner's request, so that a later answer cannot widen it. */
async function recordAgent(
  { records, account }: ClientDeps,
  body: BodyInput<'hosted.create'>,
  { id, executor }: { id: string; executor: Address },
): Promise<void> {
  must(isRecordId(id), 'EXECUTOR_ATTESTATION', 'the agent id is malformed')
  const { brain, params, pairs, limits, interval_s, accept_risks = [], shield = false, policies } = body
  const record: AgentRecord = {
    ...{ id, wallet: account.address, brain, params, pairs, limits, interval_s, mode: 'live', executor },
    tokens: tokensOf(pairs),
    terms: { accept_risks, shield, policies: policies ?? null },
  }
  const earlier = await records.agent(id)
  // The same id again is the same request, sent again after a lost answer; its executor may have been rotated.
  const textOf = (one: AgentRecord) => canonicalJson({ ...one, executor: null } as unknown as Json)
  const isSame = earlier === null || textOf(earlier) === textOf(record)
  must(isSame, 'EXECUTOR_ATTESTATION', 'the response has the id of another of your agents')
  await records.putAgent(record)
}

export const tokensOf = (pairs: readonly string[]): string[] => [
  ...new Set(pairs.flatMap((pair) => pair.split('/'))),
]

/**
 * The executor of a live agent, once the pinned co-signer's attestation of it was verified. Call it before
 * anything is granted or sent to it.
 * @param agent of `hosted.get` or `hosted.create`
 * @returns the executor's address
 * @throws VERIFICATION_FAILED the co-signer does not attest it (EXECUTOR_ATTESTATION)
 * @example
 * ```ts
 * const executorOf = async (id: string) =>
 *   client.hosted.checkExecutor(await client.api['hosted.get']({ params: { id } }))
 * ```
 */
export async function checkExecutor(
  { account, pins }: ClientDeps,
  agent: { id: string; executor: string | null; executor_attestation?: unknown },
): Promise<Address> {
  const attestation = agent.executor_attestation as { signature: Hex } | null | undefined
  if (!attestation || agent.executor === null || pins.cosigner === null)
    return broken('EXECUTOR_ATTESTATION', 'the executor has no attestation')
  const terms = { executor: agent.executor, owner: account.address, agentId: agent.id, chainId: CHAIN_ID }
  const message = rebuilt('SIGNING_MISMATCH', () => executorAttestationText(terms))
  const signature = attestation.signature
  const signer = await recoverMessageAddress({ message, signature }).catch(() => null)
  must(
    signer?.toLowerCase() === pins.cosigner,
    'EXECUTOR_ATTESTATION',
    'another than the pinned co-signer signed it',
  )
  return agent.executor.toLowerCase() as Address
}

/**
 * Signs the owner's word that a live agent may trade stock tokens in its session until a given time. Name the
 * session, and its root's hash where you kept it: without them the service's word decides which it is.
 * @param params agent, expiry in Unix seconds, session
 * @param options `signal`
 * @returns the agent
 * @throws SIGNING_MISMATCH the agent's session is not the one that was signed
 * @throws VERIFICATION_FAILED the executor is not attested (EXECUTOR_ATTESTATION)
 * @example
 * ```ts
 * const attest = (agentId: string, sessionId: string) =>
 *   client.hosted.attestStocks({ agentId, sessionId, expiresS: Math.floor(Date.now() / 1000) + 86_400 })
 * ```
 */
export async function attestStocks(
  deps: ClientDeps,
  {
    agentId,
    expiresS,
    sessionId,
    rootHash,
  }: { agentId: string; expiresS: number; sessionId?: string; rootHash?: string },
  options: VerbOptions = {},
): Promise<Answer<'hosted.stock_attestation'>> {
  await deps.checked()
  const { api, account, nowMs } = deps
  const agent = await api['hosted.get']({ params: { id: agentId } }, options)
  const { executor, session_id, session_root_hash } = agent
  if (!executor || !session_id || !session_root_hash)
    return refuse('SIGNING_MISMATCH', 'the agent has no session to attest for')
  if (agent.id !== agentId) refuse('SIGNING_MISMATCH', 'it belongs to another agent')
  if (sessionId !== undefined && session_id !== sessionId)
    refuse('SIGNING_MISMATCH', 'the agent’s session is not the named one')
  const knownRoot = rootHash ?? (await deps.records.session(session_id))?.roots[0]?.hash
  if (knownRoot !== undefined && session_root_hash.toLowerCase() !== knownRoot.toLowerCase())
    refuse('SIGNING_MISMATCH', 'the session’s root is not the one that was signed')
  await checkExecutor(deps, agent)
  const issued = Math.floor(nowMs() / 1000)
  const text = rebuilt('SIGNING_MISMATCH', () =>
    stockAttestationText({
      agentId,
      executor,
      sessionId: session_id,
      rootHash: session_root_hash,
      issuedS: issued,
      expiresS,
      chainId: CHAIN_ID,
    }),
  )
  const signature = normalized(await account.signMessage(text))
  const body = { session_id, issued, expires: expiresS, signature }
  const handed = {
    what: `the attestation for agent ${agentId}`,
    toEnd: 'Take the attestation back (hosted/<id>/stock-attestation/revoke), or stop the agent.',
    details: { agent_id: agentId, session_id, issued, expires: expiresS },
  }
  return handOverSignature(
    handed,
    () => api['hosted.stock_attestation']({ params: { id: agentId }, body }, options),
    ({ id, stock_attestation: stored }) =>
      id === agentId &&
      stored?.session_id === session_id &&
      stored.issued === issued &&
      stored.expires === expiresS,
  )
}

export interface EnterParams {
  agentId: string
  board: Board
  /** The trading wallet, the account's id or the hosted agent's: what the entrant must be. */
  entrant: string
  kind: EntrantKind
  hostedId?: string
  /** The domain the wallet signed in to. */
  domain: string
}

/**
 * Enters the league with the owner's signature over the client's own rebuild of the statement.
 * @param request registered agent, board and entrant
 * @param options `signal`
 * @returns the entry
 * @throws LEAGUE_STATEMENT the server's statement differs from the client's
 * @throws RECEIPT_MISSING the service did not confirm the entry, so it may exist
 * @example
 * ```ts
 * const enter = async (agentId: string) => {
 *   const { account } = await client.api['auth.me']()
 *   return client.league.enter({
 *     agentId,
 *     board: 'practice',
 *     kind: 'account',
 *     entrant: String(account.id),
 *     domain: 'localhost',
 *   })
 * }
 * ```
 */
export async function enterLeague(
  deps: ClientDeps,
  request: EnterParams,
  options: VerbOptions = {},
): Promise<Answer<'league.enter'>> {
  await deps.checked()
  const { api, account, nowMs } = deps
  const named = {
    agent_id: request.agentId,
    board: request.board,
    ...(request.hostedId && { hosted_id: request.hostedId }),
  }
  const statement = await api['league.statement']({ body: named }, options)
  const { domain, agentId, board, kind, entrant } = request
  const { nonce, expires_at: expiresAtS } = statement
  const own = rebuilt('LEAGUE_STATEMENT', () =>
    statementText({ domain, agentId, board, kind, entrant, nonce, expiresAtS }),
  )
  const nowS = Math.floor(nowMs() / 1000)
  const isSoon = statement.expires_at > nowS - 60 && statement.expires_at <= nowS + LEAGUE.statementTtlS + 60
  if (own !== statement.message || !isSoon)
    refuse('LEAGUE_STATEMENT', 'it was not signed', { own, given: statement.message })
  const signature = normalized(await account.signMessage(own))
  const body = { ...named, signature, nonce: statement.nonce }
  const handed = {
    what: `the entry of agent ${request.agentId}`,
    toEnd: 'Look at your entries before you sign another one; leave the league to end it.',
    details: { agent_id: request.agentId, board: request.board, nonce: statement.nonce },
  }
  return handOverSignature(
    handed,
    () => api['league.enter']({ body }, options),
    (entry) => entry.agent_id === request.agentId && entry.board === request.board,
  )
}

/** Values of a text to sign come from answers; one that does not fit its pattern could add a line to it. */
function rebuilt(code: 'SIGNING_MISMATCH' | 'LEAGUE_STATEMENT', build: () => string): string {
  try {
    return build()
  } catch (cause) {
    return refuse(code, `${(cause as Error).message}; it was not signed`)
  }
}
