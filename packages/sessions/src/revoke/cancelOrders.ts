import type { Address, Hex } from '@pit/chain'
import { boundControls, fail } from '@pit/protocol'
import type { SignedReceipt } from '@pit/signer-wire'
import type { SessionDeps } from '../deps.ts'
import { ownSession } from './ownSession.ts'

export interface CancelOrdersRequest {
  sessionId: string
  wallet: Address
  /** Null: all open ones. */
  ids: readonly Hex[] | null
  /** Repeated by the receipts. */
  challenge: Hex
}

/** Ends signed orders at the co-signer. Nothing moves, so the owner's API key suffices. */
export async function cancelOrders(
  deps: Pick<SessionDeps, 'db' | 'cosigner'>,
  { sessionId, wallet, ids, challenge }: CancelOrdersRequest,
): Promise<SignedReceipt[]> {
  const session = await ownSession(deps, { sessionId, wallet })
  if (!boundControls(session.binding))
    fail('BAD_REQUEST', {
      field: 'session_id',
      message: 'This session has no controls, so it has no signed orders.',
    })
  const which = ids === null ? ({ all: true } as const) : { ids }
  const { receipts } = await deps.cosigner.cancelOrders({ root_hash: session.rootHash, challenge, ...which })
  return receipts
}
