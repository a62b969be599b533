import { LEAF_TTL_S } from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import type { Cosigned, SignerCheck } from '@pit/platform/signerCalls'
import { fail, isPitError } from '@pit/protocol'
import { LostAnswer } from '../cosigner.ts'
import type { SessionDeps } from '../deps.ts'
import { type Reservation, release, reserve, settle } from '../spend.ts'
import type { Session } from '../types.ts'
import { leafFault } from './checkLeaf.ts'
import { type Draft, forget } from './named.ts'
import { refuseBySession, type TradeFacts } from './rules.ts'

export interface AskLeaf {
  session: Session
  draft: Draft
  /** What is kept of it where its caller named it. */
  named: Reservation | null
}
/** To be counted first. */
export interface NewLeafRequest extends AskLeaf {
  facts: TradeFacts & { microUsd: bigint }
}

export interface AskedLeaf {
  answer: Cosigned
  /** How long it took to count it here, in milliseconds. */
  reserveMs: number
  /** To be awaited before anything is answered: refuses what was revoked meanwhile. */
  settled: Promise<void>
}

/**
 * Counts the trade, has it co-signed, and believes nothing that was not asked for. What the co-signer refused
 * is not counted; what nobody can tell stays counted until the co-signer's ledger tells. Null where another
 * call counted it first under the same name.
 */
export async function askLeaf(deps: SessionDeps, request: NewLeafRequest): Promise<AskedLeaf | null> {
  const { session, facts, named } = request
  const { clock, db } = deps
  const startedAt = performance.now()
  const reserved = await reserve(db, { session, microUsd: facts.microUsd, nowMs: clock.nowMs(), named })
  if (reserved.kind === 'known') return null
  if (reserved.kind === 'full') {
    refuseBySession({ ...facts, session: { ...session, status: reserved.status }, used: reserved.used })
    throw new Error('the store has no room for a trade that passes every rule')
  }
  const reserveMs = performance.now() - startedAt
  const answer = await cosign(deps, request, () => release(db, reserved.id))
  return {
    ...believe(deps, request, { answer, id: reserved.id, atMs: clock.nowMs(), again: false }),
    reserveMs,
  }
}

/**
 * For a trade that was counted under this name before: the co-signer signs the same leaf again. Null where it
 * knows none of that name and signs none now: then the trade is to be planned anew.
 */
export async function askAgain(
  deps: SessionDeps,
  request: AskLeaf & { id: number },
): Promise<AskedLeaf | null> {
  const { db, clock } = deps
  let isFree = false
  const answer = await cosign(deps, request, async (error) => {
    if (isJudged(error)) isFree = await forget(db, request.id, clock.nowMs())
  }).catch((error: unknown) => {
    if (isFree) return null
    throw error
  })
  if (answer === null) return null
  const atMs = (answer.expires_at - LEAF_TTL_S) * 1_000
  return { ...believe(deps, request, { answer, id: request.id, atMs, again: true }), reserveMs: 0 }
}

function believe(
  deps: SessionDeps,
  { session, draft: { call }, named }: AskLeaf,
  { answer, id, atMs, again }: { answer: Cosigned; id: number; atMs: number; again: boolean },
): Omit<AskedLeaf, 'reserveMs'> {
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
      'the co-signer answered another leaf than was asked for',
    )
    return fail('SIGNER_MISMATCH')
  }
  const { sequence, leaf_hash: hash, spend } = answer
  const leaf = { sequence, hash, microUsd: spend.this_micro_usd, atMs }
  const settled = settle(deps.db, { id, sessionId: session.id, named, leaf }).then((status) => {
    // Revoked while it was being signed: the leaf counts, and nobody is told it.
    if (status !== 'active') fail('SESSION_REVOKED')
  })
  settled.catch(() => {})
  return { answer, settled }
}

async function cosign(
  { cosigner }: SessionDeps,
  { session, draft: { call, planned }, named }: AskLeaf,
  onRefused: (error: unknown) => Promise<void>,
): Promise<Cosigned> {
  const { fee, slippageBps } = planned.request.quote
  try {
    return await cosigner.cosign({
      root_hash: session.rootHash,
      execution: call.execution,
      ...(call.kind === 'curve' && { curve_fee: { amount_wei: call.fee.amountWei } }),
      fee_bps: fee.bps,
      slippage_bps: slippageBps,
      ...(named && { client_id: named.clientId }),
    })
  } catch (error) {
    if (error instanceof LostAnswer) return fail('SIGNER_UNAVAILABLE', { message: lostText(named) })
    await onRefused(error)
    throw error
  }
}

/** Refusals that say nothing of whether a leaf of that name was signed before. */
const UNJUDGED: ReadonlySet<string> = new Set([
  'CLIENT_ID',
  'SESSION_REVOKED',
  'SANCTIONED',
  'SIGNER_FROZEN',
  'BUSY',
])

function isJudged(error: unknown): boolean {
  const checks = isPitError(error) ? (error.extras['signer_checks'] as SignerCheck[] | undefined) : undefined
  return checks !== undefined && !checks.some(({ rule }) => UNJUDGED.has(rule))
}

const lostText = (named: Reservation | null): string =>
  named
    ? 'The co-signer’s answer was lost: ask again with the same client_id, and it is counted once.'
    : 'The co-signer’s answer was lost: the trade counts until its ledger tells otherwise.'
