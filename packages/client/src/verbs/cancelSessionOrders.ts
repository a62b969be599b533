import type { Hex, Receipt } from '@pit/chain'
import { CONTROLS } from '@pit/protocol'
import type { ClientDeps, VerbOptions } from '../deps.ts'
import { PitRefusal } from '../errors.ts'
import { randomWord, unconfirmed, withinReceiptTime } from '../orders/receipt.ts'
import { proofOf } from './cancelOrders.ts'

export interface CancelSessionOrdersRequest {
  sessionId: string
  /** Ids of signed orders, registered or not: each is refused ever after. */
  ids: readonly Hex[]
}

/**
 * Cancels orders of a session that your own executor trades in; refused unless the pinned co-signer confirms each.
 * @param request session and order ids
 * @param options `signal`
 * @returns the co-signer's receipts: `after` is what became of each order
 * @throws SESSION_NEEDED the session was not signed on this machine
 * @throws RECEIPT_MISSING the pinned co-signer did not confirm an order's end
 * @example
 * ```ts
 * const receipts = await client.orders.cancelInSession({ sessionId: active.session_id, ids: [] })
 * console.log(receipts.length)
 * ```
 */
export async function cancelSessionOrders(
  deps: ClientDeps,
  { sessionId, ids }: CancelSessionOrdersRequest,
  options: VerbOptions = {},
): Promise<Receipt[]> {
  await deps.checked()
  const record = await deps.records.session(sessionId)
  if (!record) throw new PitRefusal('SESSION_NEEDED', 'The session was not signed on this machine.')
  const own = { session: record.roots[0]!.hash }
  const receipts: Receipt[] = []
  for (let i = 0; i < ids.length; i += CONTROLS.maxOpenOrders) {
    const some = ids.slice(i, i + CONTROLS.maxOpenOrders)
    const challenge = randomWord()
    const body = { session_id: sessionId, ids: [...some], challenge }
    const send = deps.api['live.session.orders.cancel']
    const answer = await withinReceiptTime((call) => send({ body }, call), options)
    for (const id of some) {
      const proof = await proofOf(deps, answer.receipts, { id, challenge, own })
      receipts.push(
        typeof proof === 'string' ? unconfirmed(`order ${id}: ${proof}`, { details: { ids } }) : proof,
      )
    }
  }
  return receipts
}
