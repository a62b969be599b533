import { type Hex, type Order, orderId, orderListHash } from '@pit/chain'
import type { ClientDeps } from '../deps.ts'
import { hashing } from '../verify/grant.ts'

export interface RecordedOrder {
  id: Hex
  order: Order
}

/** Orders of a session that this client signed itself, in any state. */
export async function recordedOrders(
  { records }: Pick<ClientDeps, 'records'>,
  session: Hex,
): Promise<RecordedOrder[]> {
  const lists = await records.orderLists(session)
  return lists.flatMap((list) => {
    const hash = orderListHash(hashing, list)
    return list.orders.map((order, i) => ({ id: orderId(hashing, hash, i), order }))
  })
}
