import type { Hex } from '@pit/chain'
import { fail } from '@pit/protocol'
import type { SignedReceipt } from '@pit/signer-wire'
import type { OrderDeps } from './deps.ts'
import { readBlocked, readOrderStates, statementOf } from './orderStates.ts'
import { confirm, NOTHING_OUTSTANDING, type Statement } from './receipts.ts'

export interface StatesRequest {
  rootHash: Hex
  ids: readonly Hex[]
  challenge: Hex
}

/** A receipt for each id: how the order stands, under whatever session, and what of its budget was spent. */
export async function confirmStates(
  deps: Pick<OrderDeps, 'db' | 'clock' | 'cosigner' | 'pins' | 'prices' | 'sessions'>,
  { rootHash, ids: given, challenge }: StatesRequest,
): Promise<{ receipts: SignedReceipt[] }> {
  const { db, clock, cosigner, sessions } = deps
  if (!(await sessions.find(rootHash))) fail('NO_SESSION', { message: 'The root is not registered.' })
  const ids = [...new Set(given)]
  const atMs = clock.nowMs()
  const orders = await readOrderStates(db, deps, { ids, atMs })
  const blocked = await readBlocked(db, rootHash, ids)
  const byId = new Map(orders.map((one) => [one.stored.id, one]))
  const statements = ids.map((id): Statement => {
    const order = byId.get(id)
    if (order) return { ...statementOf(order, { what: 'status', after: order.state }), atMs }
    const state = blocked.has(id) ? 'blocked' : 'not_registered'
    const unknown = { session: rootHash, id, before: state, after: state } as const
    return { what: 'status', ...unknown, atMs, outstanding: NOTHING_OUTSTANDING }
  })
  return { receipts: await Promise.all(statements.map((one) => confirm(cosigner, one, challenge))) }
}
