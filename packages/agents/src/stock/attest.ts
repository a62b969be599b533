import type { Hex } from '@pit/chain'
import type { Call } from '@pit/platform/call'
import { nowS } from '@pit/platform/clock'
import { type Answer, fail, isPitError, STOCK_ATTESTATION_TIMES, stockAttestationText } from '@pit/protocol'
import type { HostedDeps } from '../deps.ts'
import { findOwned } from '../findOwned.ts'
import { needSession } from '../life/live.ts'
import { writeLog } from '../logs.ts'
import type { AgentSession } from '../sessions.ts'
import { readDetail } from '../show/readDetail.ts'
import { askSigner } from '../signer.ts'
import type { StoredAgent } from '../store.ts'
import { addStock, readStock } from './stockStore.ts'

type Body = Call<'hosted.stock_attestation'>['body']

/** hosted/<id>/stock-attestation: the owner's word, checked here and by the signing service, then kept. */
export async function attestStock(
  deps: HostedDeps,
  { params, body, caller }: Call<'hosted.stock_attestation'>,
): Promise<Answer<'hosted.stock_attestation'>> {
  const agent = await findOwned(deps, caller, params.id)
  if (agent.mode === 'paper') fail('PAPER_AGENT')
  if (agent.status === 'stopped') fail('STOPPED')
  if (agent.sessionId === null) fail('NO_SESSION', { status: 409, message: 'No session is attached.' })
  if (body.session_id !== agent.sessionId) fail('SESSION_MISMATCH', { field: 'session_id' })
  const session = await needSession(deps, agent)
  const { notBeforeS } = await readStock(deps.db, agent.id)
  checkTimes(body, { notBeforeS, sessionEndsS: session.expiresAtS, nowS: nowS(deps.clock) })
  checkSignature(deps, agent, session, body)
  await askStock(deps, agent, session, body)

  const { executor } = agent
  const kept = await deps.db.transaction(async (sql) => {
    const word = {
      executor: executor!,
      sessionId: session.id,
      issuedS: body.issued,
      expiresS: body.expires,
      signature: body.signature as Hex,
      signedAtS: nowS(deps.clock),
    }
    if (!(await addStock(sql, agent.id, word))) return false
    await writeLog(sql, {
      agentId: agent.id,
      tick: null,
      atMs: deps.clock.nowMs(),
      kind: 'session',
      code: 'STOCK_ATTESTED',
      message: `The owner attested for stock tokens until ${new Date(body.expires * 1_000).toISOString()}.`,
      data: { session_id: session.id, issued: body.issued, expires: body.expires },
    })
    return true
  })
  if (!kept) fail('STOCK_ATTESTATION_OLD', { field: 'issued' })
  const detail = await readDetail(deps, agent)
  return { ...detail, stock_attestation: detail.stock_attestation ?? null }
}

/** Clocks differ a little. */
const AHEAD_S = 60

/** STOCK_ATTESTATION_OLD, then BAD_EXPIRY, then what `issued` itself is refused for. */
export function checkTimes(
  { issued, expires }: Pick<Body, 'issued' | 'expires'>,
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
  fail('STOCK_ATTESTATION', { message: `The attestation is not taken: ${why}.`, why })

function checkSignature(
  { crypto, profile }: HostedDeps,
  agent: StoredAgent,
  session: AgentSession,
  { issued, expires, signature }: Body,
): void {
  const text = stockAttestationText({
    agentId: agent.id,
    executor: agent.executor!,
    sessionId: session.id,
    rootHash: session.rootHash,
    issuedS: issued,
    expiresS: expires,
    chainId: profile.chain_id,
  })
  if (crypto.recoverMessage(text, signature as Hex) === agent.wallet) return
  refuse('it is not the owner wallet’s signature over exactly this agent, executor, session and these times')
}

/** The signing service judges it by its own record; what it refuses is refused. */
async function askStock(
  deps: HostedDeps,
  agent: StoredAgent,
  session: AgentSession,
  { issued, expires, signature }: Body,
): Promise<void> {
  const ask = {
    executor: agent.executor!,
    agent_id: agent.id,
    owner: agent.wallet,
    session_id: session.id,
    root_hash: session.rootHash,
    issued,
    expires,
    signature: signature as Hex,
  }
  await askSigner(deps, 'hosted.stock_attestation', (signer) =>
    signer.attestStock(ask).catch((error: unknown) => {
      if (isPitError(error) && error.status < 500) {
        const why = `the signing service refused it: ${error.message}`
        return refuse(why)
      }
      throw error
    }),
  )
}
