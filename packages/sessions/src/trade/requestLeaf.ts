import { LEAF_TTL_S } from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import { fail, isPitError } from '@pit/protocol'
import type { Cosigned, CosignParams, SignerCheck } from '@pit/signer-wire'
import { LostAnswer } from '../cosigner.ts'
import type { SessionDeps } from '../deps.ts'
import { markPart, type OpenPart, settlePart } from '../orderParts.ts'
import { type Reservation, release, reserve, settle } from '../spend.ts'
import type { Session } from '../types.ts'
import { leafFault } from './checkLeaf.ts'
import { type Draft, freeClientId, markShared } from './clientIdTrades.ts'
import { refuseBySession, type TradeFacts } from './rules.ts'

export interface LeafContext {
  session: Session
  draft: Draft
  /** Stored data if the trade has a client_id. */
  named: Reservation | null
}
/** A leaf that is counted first. */
export interface NewLeafRequest extends LeafContext {
  facts: TradeFacts & { microUsd: bigint }
  /** The same part of the order, counted by an earlier call whose leaf may still be sent. */
  openPart: OpenPart | null
}

export interface SignedLeaf {
  answer: Cosigned
  /** Duration of the reservation in milliseconds. */
  reserveMs: number
  /** Awaited before the response; throws if the session was revoked meanwhile. */
  settled: Promise<void>
}

/**
 * Counts the trade, requests the leaf and verifies it. A refused leaf is not counted; an unknown outcome
 * stays counted until the co-signer's ledger resolves it. Null if another request counted it first under the
 * same client_id.
 */
export async function requestLeaf(deps: SessionDeps, request: NewLeafRequest): Promise<SignedLeaf | null> {
  const { session, facts, named, openPart } = request
  const { clock, db } = deps
  const startedAt = performance.now()
  // Counted already: the co-signer signs this call under the same sequence, and only one of them can run.
  if (openPart && (await markShared(db, openPart.id, clock.nowMs()))) {
    const reserveMs = performance.now() - startedAt
    const answer = await cosign(deps, request, async () => {})
    const signed = { answer, id: openPart.id, atMs: clock.nowMs(), again: false }
    return { ...verifyLeaf(deps, request, signed), reserveMs }
  }
  const reserved = await reserve(db, { session, microUsd: facts.microUsd, nowMs: clock.nowMs(), named })
  if (reserved.kind === 'duplicate') return null
  if (reserved.kind === 'full') {
    refuseBySession({ ...facts, session: { ...session, status: reserved.status }, used: reserved.used })
    throw new Error('the store rejected a trade that passed every rule')
  }
  const { order } = request.draft
  if (order) await markPart(db, reserved.id, order)
  const reserveMs = performance.now() - startedAt
  const answer = await cosign(deps, request, () => release(db, reserved.id))
  return {
    ...verifyLeaf(deps, request, { answer, id: reserved.id, atMs: clock.nowMs(), again: false }),
    reserveMs,
  }
}

/**
 * For a trade already counted under this client_id: the co-signer signs the same leaf again. Null if it knows
 * no such leaf and signs none; then the trade is planned again.
 */
export async function repeatLeaf(
  deps: SessionDeps,
  request: LeafContext & { id: number },
): Promise<SignedLeaf | null> {
  const { db, clock } = deps
  let isFree = false
  const answer = await cosign(deps, request, async (error) => {
    if (isConclusive(error)) isFree = await freeClientId(db, request.id, clock.nowMs())
  }).catch((error: unknown) => {
    if (isFree) return null
    throw error
  })
  if (answer === null) return null
  const atMs = (answer.expires_at - LEAF_TTL_S) * 1_000
  return { ...verifyLeaf(deps, request, { answer, id: request.id, atMs, again: true }), reserveMs: 0 }
}

function verifyLeaf(
  deps: SessionDeps,
  { session, draft: { call, order }, named }: LeafContext,
  { answer, id, atMs, again }: { answer: Cosigned; id: number; atMs: number; again: boolean },
): Omit<SignedLeaf, 'reserveMs'> {
  const fault = leafFault(
    { crypto: deps.crypto, delegation: deps.addresses().delegation },
    {
      call,
      cosigner: session.binding.cosigner,
      executor: session.executor,
      nowS: nowS(deps.clock),
      again,
    },
    answer,
  )
  if (fault !== null) {
    deps.logger.error(
      { session: session.id, fault },
      'the co-signer returned a different leaf than requested',
    )
    return fail('SIGNER_MISMATCH')
  }
  const { sequence, leaf_hash: hash, spend } = answer
  const leaf = { sequence, hash, microUsd: spend.this_micro_usd, atMs }
  const settling = { id, sessionId: session.id, named, leaf }
  const settled = (order ? settlePart(deps.db, { ...settling, order }) : settle(deps.db, settling)).then(
    (status) => {
      // Revoked during signing: the leaf counts, but is not returned.
      if (status !== 'active') fail('SESSION_REVOKED')
    },
  )
  settled.catch(() => {})
  return { answer, settled }
}

async function cosign(
  { cosigner }: SessionDeps,
  request: LeafContext,
  onRefused: (error: unknown) => Promise<void>,
): Promise<Cosigned> {
  try {
    return await cosigner.cosign(leafParams(request))
  } catch (error) {
    if (error instanceof LostAnswer) return fail('SIGNER_UNAVAILABLE', { message: lostText(request.named) })
    await onRefused(error)
    throw error
  }
}

/** The call to the co-signer. */
export function leafParams({ session, draft: { call, planned, order }, named }: LeafContext): CosignParams {
  const { fee, slippageBps } = planned.request.quote
  return {
    root_hash: session.rootHash,
    execution: call.execution,
    ...(call.kind === 'curve' && { curve_fee: { amount_wei: call.fee.amountWei } }),
    fee_bps: fee.bps,
    slippage_bps: slippageBps,
    ...(named && { client_id: named.clientId }),
    ...(order && { order }),
  }
}

/** Refusals that do not show whether a leaf with that client_id was signed before. */
const INCONCLUSIVE: ReadonlySet<string> = new Set([
  'CLIENT_ID',
  'SESSION_REVOKED',
  'SANCTIONED',
  'SIGNER_FROZEN',
  'BUSY',
])

function isConclusive(error: unknown): boolean {
  const checks = isPitError(error) ? (error.extras['signer_checks'] as SignerCheck[] | undefined) : undefined
  return checks !== undefined && !checks.some(({ rule }) => INCONCLUSIVE.has(rule))
}

const lostText = (named: Reservation | null): string =>
  named
    ? 'The co-signer’s response was lost. Retry with the same client_id; the trade is counted once.'
    : 'The co-signer’s response was lost. The trade counts until the co-signer’s ledger is read.'
