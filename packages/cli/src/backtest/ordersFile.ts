import { readFileSync } from 'node:fs'
import { fromWireOrders, type Hex, type Order, orderFault, type WireOrder } from '@pit/chain'
import { schemas } from '@pit/protocol'
import { Value } from '@sinclair/typebox/value'
import { CommandRefused } from './refused.ts'

const ZERO: Hex = `0x${'0'.repeat(64)}`

/** The orders of a list as `POST hosted/<id>/orders` takes it: `{"orders": […]}`; session and nonce are not needed. */
export function readOrdersFile(file: string): readonly Order[] {
  let value: unknown
  try {
    value = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new CommandRefused(`${file} is not valid JSON: ${(error as Error).message}`)
  }
  const { list } = (value ?? {}) as { list?: unknown }
  const { orders } = ((list ?? value) || {}) as { orders?: unknown }
  if (!Array.isArray(orders)) throw new CommandRefused(`${file} has no "orders" list.`)
  for (const [i, order] of orders.entries()) {
    const fault = Value.Errors(schemas.SignedOrder, order).First()
    if (fault)
      throw new CommandRefused(`${file}: order ${i + 1}, ${fault.path || 'order'}: ${fault.message}.`)
  }
  const wire = { session: ZERO, nonce: ZERO, replaces: [], orders: orders as WireOrder[] }
  const read = fromWireOrders(wire)
  const fault = orderFault(read)
  if (fault) {
    const where = fault.index === null ? '' : `order ${fault.index + 1}, `
    throw new CommandRefused(`${file}: ${where}${fault.field} ${fault.message}.`)
  }
  return read.orders
}
