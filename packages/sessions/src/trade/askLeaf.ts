import type { Address } from '@pit/chain'
import type { Cosigned } from '@pit/platform/signerCalls'
import { fail } from '@pit/protocol'
import { LostAnswer } from '../cosigner.ts'
import type { SessionDeps } from '../deps.ts'
import { release, reserve, settle } from '../spend.ts'
import type { Session } from '../types.ts'
import { leafFault } from './checkLeaf.ts'
import type { SessionCall } from './readCall.ts'
import { refuseBySession, type TradeFacts } from './rules.ts'

export interface AskLeaf {
  session: Session
  call: SessionCall
  facts: TradeFacts & { microUsd: bigint }
  feeBps: number
  slippageBps: number
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
 * is not counted; what nobody can tell stays counted until the co-signer's ledger tells.
 */
export async function askLeaf(deps: SessionDeps, ask: AskLeaf): Promise<AskedLeaf> {
  const { session, call, facts } = ask
  const { clock, db } = deps
  const cosigner: Address = session.binding.cosigner
  const startedAt = performance.now()
  const reserved = await reserve(db, { session, microUsd: facts.microUsd, nowMs: clock.nowMs() })
  if (!reserved.ok) {
    refuseBySession({ ...facts, session: { ...session, status: reserved.status }, used: reserved.used })
    throw new Error('the store has no room for a trade that passes every rule')
  }
  const reserveMs = performance.now() - startedAt
  const answer = await cosign(deps, ask, reserved.id)
  const nowMs = clock.nowMs()
  const fault = leafFault(
    { crypto: deps.crypto, delegation: deps.addresses().delegation },
    { call, cosigner, executor: session.executor, nowS: Math.floor(nowMs / 1_000) },
    answer,
  )
  if (fault !== null) {
    deps.logger.error(
      { session: session.id, fault },
      'the co-signer answered another leaf than was asked for',
    )
    return fail('SIGNER_MISMATCH')
  }
  const settled = settle(db, reserved.id, {
    sequence: answer.sequence,
    hash: answer.leaf_hash,
    microUsd: answer.spend.this_micro_usd,
    atMs: nowMs,
  }).then((status) => {
    // Revoked while it was being signed: the leaf counts, and nobody is told it.
    if (status !== 'active') fail('SESSION_REVOKED')
  })
  settled.catch(() => {})
  return { answer, reserveMs, settled }
}

async function cosign(
  { cosigner, db }: SessionDeps,
  { session, call, feeBps, slippageBps }: AskLeaf,
  reserved: number,
): Promise<Cosigned> {
  try {
    return await cosigner.cosign({
      root_hash: session.rootHash,
      execution: call.execution,
      ...(call.kind === 'curve' && { curve_fee: { amount_wei: call.fee.amountWei } }),
      fee_bps: feeBps,
      slippage_bps: slippageBps,
    })
  } catch (error) {
    if (error instanceof LostAnswer) return fail('SIGNER_UNAVAILABLE')
    await release(db, reserved)
    throw error
  }
}
