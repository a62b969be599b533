import { type Hex, type Order, orderId } from '@pit/chain'
import type { ClientDeps } from '../deps.ts'
import { hashing } from '../verify/grant.ts'

export interface RecordedOrder {
  id: Hex
  /** Hash of the main root; zero on paper. */
  session: Hex
  agentId: string | null
  order: Order
}

/** Orders that this client signed itself or placed on paper, in any state and session. */
export async function recordedOrders({ records }: Pick<ClientDeps, 'records'>): Promise<RecordedOrder[]> {
  return (await records.orderLists()).flatMap(({ hash, session, agentId, orders }) =>
    orders.map((order, i) => ({ id: orderId(hashing, hash, i), session, agentId, order })),
  )
}
