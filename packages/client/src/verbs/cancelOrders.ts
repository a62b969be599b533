import type { Hex, Receipt } from '@pit/chain'
import { type Answer, CONTROLS } from '@pit/protocol'
import type { ClientDeps, VerbOptions } from '../deps.ts'
import { must, readingAnswer } from '../errors.ts'
import { type AgentSession, readAgentSession } from '../orders/agentSession.ts'
import { mustHaveReceipts, randomWord, withinReceiptTime } from '../orders/receipt.ts'
import { recordedOrders } from '../orders/recordedOrders.ts'

/**
 * An order as the server lists it.
 * @public
 */
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

/**
 * Cancels orders; refused unless the pinned co-signer confirms each of them. Signs nothing.
 * @param request agent and ids; every open order without ids
 * @param options `signal`
 * @returns the orders, and the co-signer's receipts (none on paper)
 * @throws RECEIPT_MISSING the pinned co-signer did not confirm an order's end
 * @example
 * ```ts
 * const { orders: cancelled } = await client.orders.cancel({ agentId: agent.id })
 * console.log(cancelled.length)
 * await client.api['hosted.delete']({ params: { id: agent.id } })
 * ```
 */
export async function cancelOrders(
  deps: ClientDeps,
  { agentId, ids }: CancelOrdersRequest,
  options: VerbOptions = {},
): Promise<CancelledOrders> {
  await deps.checked()
  const session = await readAgentSession(deps, agentId, options)
  const open = ids ?? (await openIds(deps, { agentId, session }, options))
  const cancelled: CancelledOrders = { agentId, orders: [], receipts: [] }
  for (let i = 0; i < open.length; i += CONTROLS.maxOpenOrders) {
    const some = await cancelSome(
      deps,
      { agentId, session, ids: open.slice(i, i + CONTROLS.maxOpenOrders) },
      options,
    )
    cancelled.orders = [...cancelled.orders, ...some.orders]
    cancelled.receipts = [...cancelled.receipts, ...some.receipts]
  }
  return cancelled
}

interface Cancelling {
  agentId: string
  session: AgentSession | null
  ids: readonly Hex[]
}

async function cancelSome(
  deps: ClientDeps,
  { agentId, session, ids }: Cancelling,
  options: VerbOptions,
): Promise<Pick<CancelledOrders, 'orders' | 'receipts'>> {
  const challenge = randomWord()
  const request = { params: { id: agentId }, body: { ids: [...ids], challenge } }
  const answer = await withinReceiptTime((call) => deps.api['hosted.orders.cancel'](request, call), options)
  const receipts = session
    ? await mustHaveReceipts(deps, answer.receipts, { session: session.hash, ids, challenge })
    : []
  return { orders: answer.orders, receipts }
}

/**
 * The agent's orders and the signatures it waits for, as the server lists them.
 * @param agentId the agent
 * @param options `signal`
 * @returns orders and wanted signatures
 * @example
 * ```ts
 * const listed = await client.orders.list(agent.id)
 * console.log(listed.orders.filter(isOpenOrder).length)
 * ```
 */
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

/**
 * Whether an order can still trade.
 * @public
 */
export const isOpenOrder = ({ state }: Pick<OrderRow, 'state'>): boolean => !ENDED.has(state)

/**
 * Open orders by the server's list, and all that this client signed, whatever the server says of them. Expired
 * ones need no cancellation.
 */
async function openIds(
  deps: ClientDeps,
  { agentId, session }: Omit<Cancelling, 'ids'>,
  options: VerbOptions,
): Promise<Hex[]> {
  const { orders } = await listOrders(deps, agentId, options)
  const nowS = deps.nowMs() / 1000
  const listed = orders.filter((row) => isOpenOrder(row) && row.order.expires_at > nowS)
  const own = session ? await recordedOrders(deps, session.hash) : []
  const signed = own.filter(({ order }) => order.expiresAt > nowS)
  return [...new Set([...listed, ...signed].map(({ id }) => id.toLowerCase() as Hex))]
}
