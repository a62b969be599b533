import type { Address } from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import { fail, isPitError } from '@pit/protocol'
import type { AgentRequest, HostedDeps } from '../deps.ts'
import { markStockRevoked, markStockRevokeTold, unconfirmedStockRevocations } from '../executors.ts'
import { writeLogs } from '../logs.ts'
import { type AgentDetail, readDetail } from '../show/readDetail.ts'
import { findOwned } from '../store.ts'
import { revokeStockOf } from './stockStore.ts'

/** Takes effect here immediately; the signing service is notified until it confirms. */
export async function revokeStock(
  deps: HostedDeps,
  request: AgentRequest,
): Promise<{ detail: AgentDetail; signerRevoked: boolean }> {
  const agent = await findOwned(deps.db, request)
  const { executor } = agent
  if (agent.mode === 'paper' || executor === null) return fail('PAPER_AGENT')
  const atS = nowS(deps.clock)
  await deps.db.transaction(async (sql) => {
    // First, because a concurrent attestation locks the same row: it is either revoked, or rejected as too
    // late.
    await markStockRevoked(sql, executor, atS)
    await revokeStockOf(sql, agent.id, atS)
    await writeLogs(sql, {
      agentId: agent.id,
      tick: null,
      atMs: deps.clock.nowMs(),
      kind: 'session',
      code: 'STOCK_REVOKED',
      message: 'The owner revoked the stock attestation. Stock orders are held from now on.',
    })
  })
  const signerRevoked = (await tell(deps, executor)) === 'told'
  return { detail: await readDetail(deps, agent), signerRevoked }
}

const AT_ONCE = 100

/** Retries revocations that the signing service has not confirmed. */
export async function tellStockRevocations(deps: HostedDeps): Promise<void> {
  for (const executor of await unconfirmedStockRevocations(deps.db, AT_ONCE)) {
    // Stop if the signer is unreachable; continue after a refusal.
    if ((await tell(deps, executor)) === 'silent') return
  }
}

async function tell(
  { db, clock, signer, logger }: HostedDeps,
  executor: Address,
): Promise<'told' | 'refused' | 'silent'> {
  if (signer === null) return 'silent'
  try {
    await signer.revokeStock({ executor })
    await markStockRevokeTold(db, executor, nowS(clock))
    return 'told'
  } catch (error) {
    logger.warn({ err: error, executor }, 'the signer did not confirm the stock revocation')
    return isPitError(error) ? 'refused' : 'silent'
  }
}
