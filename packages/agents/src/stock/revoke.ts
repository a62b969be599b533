import type { Address } from '@pit/chain'
import type { Call } from '@pit/platform/call'
import { nowS } from '@pit/platform/clock'
import { type Answer, fail, isPitError } from '@pit/protocol'
import type { HostedDeps } from '../deps.ts'
import { markStockRevoked, markStockRevokeTold, untoldStockRevocations } from '../executors.ts'
import { findOwned } from '../findOwned.ts'
import { writeLog } from '../logs.ts'
import { readDetail } from '../show/readDetail.ts'
import { revokeStockOf } from './stockStore.ts'

/** hosted/<id>/stock-attestation/revoke: here at once; the signing service is told until it confirms. */
export async function revokeStock(
  deps: HostedDeps,
  { params, caller }: Call<'hosted.stock_attestation.revoke'>,
): Promise<Answer<'hosted.stock_attestation.revoke'>> {
  const agent = await findOwned(deps, caller, params.id)
  const { executor } = agent
  if (agent.mode === 'paper' || executor === null) return fail('PAPER_AGENT')
  const atS = nowS(deps.clock)
  await deps.db.transaction(async (sql) => {
    // First, as an attestation under way takes the same row: either it is there to be revoked, or it comes too late.
    await markStockRevoked(sql, executor, atS)
    await revokeStockOf(sql, agent.id, atS)
    await writeLog(sql, {
      agentId: agent.id,
      tick: null,
      atMs: deps.clock.nowMs(),
      kind: 'session',
      code: 'STOCK_REVOKED',
      message: 'The owner took the word for stock tokens back: stock orders are held from now on.',
    })
  })
  const signer_revoked = (await tell(deps, executor)) === 'told'
  return { ...(await readDetail(deps, agent)), signer_revoked }
}

const AT_ONCE = 100

/** What the signing service missed. */
export async function tellStockRevocations(deps: HostedDeps): Promise<void> {
  for (const executor of await untoldStockRevocations(deps.db, AT_ONCE)) {
    // One that does not answer answers none; one that refuses this may take the next.
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
    logger.warn({ err: error, executor }, 'the signer did not confirm that stock tokens are held')
    return isPitError(error) ? 'refused' : 'silent'
  }
}
