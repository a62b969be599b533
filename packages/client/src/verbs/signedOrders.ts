import { toWireOrder } from '@pit/chain'
import type { ClientDeps } from '../deps.ts'
import { recordedOrders } from '../orders/recordedOrders.ts'
import { type OrderRow, PAPER_SESSION } from './cancelOrders.ts'

/**
 * Orders as they were signed on this machine, whatever a server lists.
 * @returns terms by id, in the form of a listed order
 * @example
 * ```ts
 * console.log((await client.orders.signed()).size)
 * ```
 */
export async function signedOrders(deps: ClientDeps): Promise<ReadonlyMap<string, OrderRow['order']>> {
  const signed = (await recordedOrders(deps)).filter(({ session }) => session !== PAPER_SESSION)
  return new Map(signed.map(({ id, order }) => [id, toWireOrder(order) as never]))
}
