import type { Hex, Receipt } from '@pit/chain'
import type { Answer } from '@pit/protocol'
import type { ClientDeps, VerbOptions } from '../deps.ts'
import { must, readingAnswer } from '../errors.ts'
import { readAgentSession } from '../orders/agentSession.ts'
import { mustHaveReceipt, randomWord, unconfirmed, withinReceiptTime } from '../orders/receipt.ts'

export type OrderRow = Answer<'hosted.orders.list'>['orders'][number]
type State = OrderRow['state']

export interface CancelOrdersRequest {
  agentId: string
  /** Absent: every open order. */
  ids?: readonly Hex[] | undefined
}
export interface CancelledOrders {
  agentId: string
  orders: readonly OrderRow[]
  /** The pinned co-signer's, one per order; none on paper. */
  receipts: readonly Receipt[]
}

const ENDED: ReadonlySet<State> = new Set<State>(['filled', 'expired', 'cancelled', 'replaced', 'unfillable'])

/** Cancels orders; refused unless the pinned co-signer confirms each of them. Signs nothing. */
export async function cancelOrders(
  deps: ClientDeps,
  { agentId, ids }: CancelOrdersRequest,
  options: VerbOptions = {},
): Promise<CancelledOrders> {
  await deps.checked()
  const session = await readAgentSession(deps, agentId, options)
  const open = ids ?? (await openIds(deps, agentId, options))
  if (open.length === 0) return { agentId, orders: [], receipts: [] }
  const challenge = randomWord()
  const scope = ids ? { ids: [...ids] } : { all: true as const }
  const answer = await withinReceiptTime(
    (call) =>
      deps.api['hosted.orders.cancel']({ params: { id: agentId }, body: { ...scope, challenge } }, call),
    options,
  )
  if (!session) return { agentId, orders: answer.orders, receipts: [] }
  const receipts: Receipt[] = []
  for (const id of open) {
    const own = answer.receipts?.find((one) => one.id?.toLowerCase() === id.toLowerCase())
    if (!own) unconfirmed(`there is no receipt for order ${id}`)
    receipts.push(
      await mustHaveReceipt(deps, own, { what: 'cancelled', session: session.hash, id, challenge }),
    )
  }
  return { agentId, orders: answer.orders, receipts }
}

/** The agent's orders and the signatures it waits for, as the server lists them. */
export async function listOrders(
  { api, checked }: ClientDeps,
  agentId: string,
  options: VerbOptions = {},
): Promise<Answer<'hosted.orders.list'>> {
  await checked()
  const answer = await api['hosted.orders.list']({ params: { id: agentId } }, options)
  await readingAnswer('RECIPIENT', () =>
    must(answer.agent_id === agentId, 'RECIPIENT', 'the response is about another agent'),
  )
  return answer
}

export const isOpenOrder = ({ state }: Pick<OrderRow, 'state'>): boolean => !ENDED.has(state)

/** Expired orders need no cancellation, even if the list still shows them as open. */
async function openIds(deps: ClientDeps, agentId: string, options: VerbOptions): Promise<Hex[]> {
  const { orders } = await listOrders(deps, agentId, options)
  const isLeft = (row: OrderRow) => isOpenOrder(row) && row.order.expires_at > deps.nowMs() / 1000
  return orders.filter(isLeft).map(({ id }) => id as Hex)
}
