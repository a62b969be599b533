import type { Hex } from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import { fail } from '@pit/protocol'
import { readSession } from '@pit/sessions'
import type { SignedReceipt } from '@pit/signer-wire'
import type { AgentRequest, HostedDeps } from '../deps.ts'
import { askSigner } from '../signer.ts'
import { findOwned } from '../store.ts'
import { listsWith } from './store.ts'

export interface StatesRequest extends AgentRequest {
  ids: readonly Hex[]
  challenge: Hex
}

/** The co-signer's receipts of how orders stand; none on paper. */
export async function confirmStates(
  deps: HostedDeps,
  { ids, challenge, ...request }: StatesRequest,
): Promise<SignedReceipt[]> {
  const { db, clock } = deps
  const agent = await findOwned(db, request)
  if (agent.mode === 'paper') return []
  const [list] = await listsWith(db, agent.id, ids, clock.nowMs())
  const sessionId = list?.sessionId ?? agent.sessionId
  const session = sessionId === null ? null : await readSession(db, sessionId, nowS(clock))
  if (!session) return fail('NO_SESSION', { status: 409, message: 'No session is attached.' })
  const { receipts } = await askSigner(deps, 'hosted.orders.states', (signer) =>
    signer.confirmStates({ root_hash: session.rootHash, ids, challenge }),
  )
  return receipts
}
