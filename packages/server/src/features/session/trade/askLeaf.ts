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

/**
 * Counts the trade, has it co-signed, and believes nothing that was not asked for. What the co-signer refused is not
 * counted; what nobody can tell stays counted until the co-signer's ledger tells.
 */
export async function askLeaf(deps: SessionDeps, ask: AskLeaf): Promise<Cosigned> {
  const { session, call, facts } = ask
  const { clock, db } = deps
  const cosigner: Address = session.binding.cosigner
  const reserved = await reserve(
    db,
    { sessionId: session.id, microUsd: facts.microUsd, nowMs: clock.nowMs() },
    ({ status, used }) => void refuseBySession({ ...facts, session: { ...session, status }, used }),
  )
  const answer = await cosign(deps, ask, reserved)
  const nowMs = clock.nowMs()
  const fault = leafFault(
    { crypto: deps.crypto, place: deps.place().delegation },
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
  const status = await settle(db, reserved, {
    sequence: answer.sequence,
    hash: answer.leaf_hash,
    microUsd: answer.spend.this_micro_usd,
    atMs: nowMs,
  })
  // Revoked while it was being signed: the leaf counts, and nobody is told it.
  if (status !== 'active') fail('SESSION_REVOKED')
  return answer
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
