import { type Hex, normalizeSignature } from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import {
  fail,
  isPitError,
  type RefusalCode,
  routeById,
  STOCK_ATTESTATION_TIMES,
  stockAttestationText,
} from '@pit/protocol'
import type { AgentSession } from '@pit/sessions'
import type { AgentRequest, HostedDeps } from '../deps.ts'
import { needSession } from '../life/live.ts'
import { writeLogs } from '../logs.ts'
import { type AgentDetail, readDetail } from '../show/readDetail.ts'
import { askSigner } from '../signer.ts'
import { findOwned, type StoredAgent } from '../store.ts'
import { addStock, readStock } from './stockStore.ts'

/** The owner's signed statement for stock tokens. */
export interface StockRequest extends AgentRequest {
  sessionId: string
  issuedS: number
  expiresS: number
  signature: Hex
}

/** Stores the owner's attestation after checks here and by the signing service. */
export async function attestStock(deps: HostedDeps, request: StockRequest): Promise<AgentDetail> {
  const agent = await findOwned(deps.db, request)
  const { issuedS, expiresS, signature } = request
  if (agent.mode === 'paper') fail('PAPER_AGENT')
  if (agent.status === 'stopped') fail('STOPPED')
  if (agent.sessionId === null) fail('NO_SESSION', { status: 409, message: 'No session is attached.' })
  if (request.sessionId !== agent.sessionId) fail('SESSION_MISMATCH', { field: 'session_id' })
  const session = await needSession(deps, agent)
  const { notBeforeS } = await readStock(deps.db, agent.id)
  checkTimes(request, { notBeforeS, sessionEndsS: session.expiresAtS, nowS: nowS(deps.clock) })
  checkSignature(deps, agent, session, request)
  await askStock(deps, agent, session, request)

  const { executor } = agent
  const isNew = await deps.db.transaction(async (sql) => {
    const attestation = {
      executor: executor!,
      sessionId: session.id,
      issuedS,
      expiresS,
      signature,
      signedAtS: nowS(deps.clock),
    }
    if (!(await addStock(sql, agent.id, attestation))) return false
    await writeLogs(sql, {
      agentId: agent.id,
      tick: null,
      atMs: deps.clock.nowMs(),
      kind: 'session',
      code: 'STOCK_ATTESTED',
      message: `The owner attested for stock tokens until ${new Date(expiresS * 1_000).toISOString()}.`,
      data: { session_id: session.id, issued: issuedS, expires: expiresS },
    })
    return true
  })
  if (!isNew) fail('STOCK_ATTESTATION_OLD', { field: 'issued' })
  return readDetail(deps, agent)
}

/** Tolerated clock difference. */
const AHEAD_S = 60

/** Throws STOCK_ATTESTATION_OLD, then BAD_EXPIRY, then STOCK_ATTESTATION for `issued`. */
export function checkTimes(
  { issuedS: issued, expiresS: expires }: Pick<StockRequest, 'issuedS' | 'expiresS'>,
  { notBeforeS, sessionEndsS, nowS: now }: { notBeforeS: number | null; sessionEndsS: number; nowS: number },
): void {
  const { minAheadS, maxAheadS, issuedMaxAgeS } = STOCK_ATTESTATION_TIMES
  if (notBeforeS !== null && issued <= notBeforeS) fail('STOCK_ATTESTATION_OLD', { field: 'issued' })
  const bad = (message: string) =>
    fail('BAD_EXPIRY', { field: 'expires', message: `\`expires\` ${message}.` })
  if (expires < now + minAheadS) bad('must be at least 5 minutes ahead')
  if (expires > sessionEndsS) bad(`is after the session’s end, ${sessionEndsS}`)
  if (expires > now + maxAheadS || expires > issued + maxAheadS) bad('must be within 30 days')
  if (issued < now - issuedMaxAgeS) refuse('it was issued over an hour ago')
  if (issued > now + AHEAD_S) refuse('it was issued in the future')
}

const refuse = (why: string): never =>
  fail('STOCK_ATTESTATION', { message: `The attestation was rejected: ${why}.`, why })

function checkSignature(
  { crypto, profile }: HostedDeps,
  agent: StoredAgent,
  session: AgentSession,
  { issuedS, expiresS, signature }: StockRequest,
): void {
  const text = stockAttestationText({
    agentId: agent.id,
    executor: agent.executor!,
    sessionId: session.id,
    rootHash: session.rootHash,
    issuedS,
    expiresS,
    chainId: profile.chain_id,
  })
  const isPlain = normalizeSignature(signature) === signature.toLowerCase()
  if (isPlain && crypto.recoverMessage(text, signature) === agent.wallet) return
  refuse(
    'it is not the owner’s signature (v of 27 or 28, low s) over this agent, executor, session and times',
  )
}

/** Refusals of the signing service that are passed on unchanged. */
const isKnown = (code: RefusalCode): boolean =>
  code !== 'STOCK_ATTESTATION' && routeById('hosted.stock_attestation').errors.includes(code)

/** The signing service checks the attestation against its own records. */
async function askStock(
  deps: HostedDeps,
  agent: StoredAgent,
  session: AgentSession,
  { issuedS: issued, expiresS: expires, signature }: StockRequest,
): Promise<void> {
  const request = {
    executor: agent.executor!,
    agent_id: agent.id,
    owner: agent.wallet,
    session_id: session.id,
    root_hash: session.rootHash,
    issued,
    expires,
    signature,
  }
  await askSigner(deps, 'hosted.stock_attestation', (signer) =>
    signer.attestStock(request).catch((error: unknown) => {
      if (isPitError(error) && error.status < 500 && !isKnown(error.code)) {
        const why = `the signing service refused it: ${error.message}`
        return refuse(why)
      }
      throw error
    }),
  )
}
