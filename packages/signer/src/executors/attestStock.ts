import { type Address, type Hex, normalizeSignature } from '@pit/chain'
import { COSIGNER, fail, STOCK_ATTESTATION_TIMES, stockAttestationText } from '@pit/protocol'
import { type ExecutorDeps, needExecutor, refuseSanctioned } from './deps.ts'
import {
  findExecutor,
  lockRoots,
  putStockAttestation,
  revokeStockAttestation,
  stockNotBefore,
} from './store.ts'

export interface AttestRequest {
  executor: Address
  agentId: string
  owner: Address
  sessionId: string
  rootHash: Hex
  issuedS: number
  expiresS: number
  signature: Hex
}

/** Allowed difference between the clocks of two processes. */
const LEEWAY_S = COSIGNER.callWindowS

/**
 * Accepts an owner's attestation that the agent may trade stock tokens in one session, if the owner signed it
 * and it is within its times.
 */
export async function attestStock(deps: ExecutorDeps, request: AttestRequest): Promise<void> {
  const { db, crypto, clock, pins, sessions } = deps
  const executor = await needExecutor(db, request.executor)
  refuseSanctioned(deps, executor)
  if (executor.agentId !== request.agentId || executor.owner !== request.owner)
    refuse('The executor belongs to another agent or owner.')
  const session = await sessions.find(request.rootHash)
  if (!session || session.binding.executor !== request.executor)
    return refuse('This executor has no session with this root.')
  refuseTimes(request, { nowMs: clock.nowMs(), endsAtS: session.binding.expires_at })
  const text = stockAttestationText({
    agentId: executor.agentId,
    executor: executor.address,
    sessionId: request.sessionId,
    rootHash: request.rootHash,
    issuedS: request.issuedS,
    expiresS: request.expiresS,
    chainId: pins.addresses.chainId,
  })
  const signature = normalizeSignature(request.signature)
  if (!signature || crypto.recoverMessage(text, signature) !== executor.owner)
    return refuse('The signature of the executor’s owner does not match this text.')

  const atMs = clock.nowMs()
  await db.transaction(async (sql) => {
    const now = await findExecutor(sql, executor.address, 'update')
    if (!now || now.closedAtMs !== null) fail('EXECUTOR_CLOSED')
    const [root] = await sql.query<{ revoked: boolean }>(
      `select exists (select from revocations where root_hash = hash) as revoked from roots
       where hash = $1 and session_id = $2`,
      [request.rootHash, request.sessionId],
    )
    if (!root) refuse('The root belongs to another session.')
    if (root.revoked) fail('SESSION_REVOKED')
    const notBefore = await stockNotBefore(sql, executor.agentId)
    if (notBefore !== null && request.issuedS <= notBefore) fail('STOCK_ATTESTATION_OLD', { field: 'issued' })
    await putStockAttestation(sql, { ...request, signature, atMs })
  })
}

function refuseTimes(
  { issuedS, expiresS }: AttestRequest,
  { nowMs, endsAtS }: { nowMs: number; endsAtS: number },
): void {
  const { minAheadS, maxAheadS, issuedMaxAgeS } = STOCK_ATTESTATION_TIMES
  const nowS = Math.floor(nowMs / 1000)
  if (nowS >= endsAtS) fail('SESSION_EXPIRED')
  if (issuedS > nowS + LEEWAY_S || issuedS < nowS - issuedMaxAgeS - LEEWAY_S)
    refuse('It was issued over an hour ago, or is from the future.')
  const fits =
    expiresS >= nowS + minAheadS - LEEWAY_S && expiresS <= endsAtS && expiresS <= nowS + maxAheadS + LEEWAY_S
  if (!fits) fail('BAD_EXPIRY', { field: 'expires' })
}

function refuse(why: string): never {
  fail('STOCK_ATTESTATION', { message: why, why })
}

/** Takes effect at once: no leaf counted after this trades a stock token. Returns when it was revoked. */
export async function revokeStock(deps: ExecutorDeps, address: Address): Promise<number> {
  const { db, clock } = deps
  const executor = await needExecutor(db, address)
  return db.transaction(async (sql) => {
    const atMs = clock.nowMs()
    await lockRoots(sql, address)
    return revokeStockAttestation(sql, executor, atMs)
  })
}
