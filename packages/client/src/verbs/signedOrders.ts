import { type Hex, toWireOrders } from '@pit/chain'
import type { ClientDeps } from '../deps.ts'
import { recordedOrders } from '../orders/recordedOrders.ts'
import type { OrderRow } from './cancelOrders.ts'

/**
 * Orders as they were signed on this machine, whatever a server lists.
 * @returns terms by id, in the form of a listed order
 * @example
 * ```ts
 * console.log((await client.orders.signed()).size)
 * ```
 */
export async function signedOrders(deps: ClientDeps): Promise<ReadonlyMap<string, OrderRow['order']>> {
  const { records } = await deps.records.sessions()
  const lists = await Promise.all(records.map(({ roots }) => recordedOrders(deps, roots[0]!.hash)))
  return new Map(
    lists
      .flat()
      .map(({ id, order }) => [id, toWireOrders({ ...NO_LIST, orders: [order] }).orders[0] as never]),
  )
}

const ZERO: Hex = `0x${'0'.repeat(64)}`
const NO_LIST = { session: ZERO, nonce: ZERO, replaces: [] }
