import {
  type Hex,
  type OrderList,
  orderId,
  orderListHash,
  orderTypedData,
  type Receipt,
  toWireOrders,
} from '@pit/chain'
import type { Answer } from '@pit/protocol'
import { normalized } from '../account.ts'
import type { ClientDeps, VerbOptions } from '../deps.ts'
import { isRefusal, must, readingAnswer } from '../errors.ts'
import { hashing } from '../verify/grant.ts'
import type { AgentSession } from './agentSession.ts'
import { randomWord, receiptFault, unconfirmed, withinReceiptTime } from './receipt.ts'

export interface HandedOver {
  /** Hash of the list. */
  list: Hex
  ids: readonly Hex[]
  orders: Answer<'hosted.orders.place'>['orders']
  receipt: Receipt | null
}

/** How to find or end a list whose signature left. */
export interface ListNames {
  list: Hex
  ids: readonly Hex[]
  nonce: Hex
  session_id: string
}

interface HandOverRequest {
  agentId: string
  session: AgentSession | null
  list: OrderList
  /** Whether the co-signer counts another amount of a replaced order, so that this list cannot be registered. */
  hasChanged(): Promise<boolean>
}

/** A lost answer and a refusal prove nothing: the second request gets a receipt if the list is registered. */
const TRIES = 2

/**
 * Signs a list and sends it. From then on only the co-signer's receipt says that it is registered, whatever the
 * server answers. The names alone if a replaced order has traded meanwhile: at most one list that replaces it can
 * be registered, so another may be signed.
 */
export async function handOverList(
  deps: ClientDeps,
  { agentId, session, list, hasChanged }: HandOverRequest,
  options: VerbOptions,
): Promise<HandedOver | ListNames> {
  const { account, api, pins, records } = deps
  const hash = orderListHash(hashing, list)
  const ids = list.orders.map((_, i) => orderId(hashing, hash, i))
  const signature =
    session && normalized(await account.signTypedData(orderTypedData(pins.addresses, list) as never))
  // Recorded before it is sent: the server may hide the list later.
  await records.putOrderList(list, agentId)
  const send = (body: object) =>
    withinReceiptTime(
      (call) => api['hosted.orders.place']({ params: { id: agentId }, body: body as never }, call),
      options,
    )
  const wire = { list: toWireOrders(list) }
  if (!session) {
    const answer = await send(wire)
    await readingAnswer('RECIPIENT', () => {
      must(answer.list.toLowerCase() === hash, 'RECIPIENT', 'the response is about another list')
    })
    return { list: hash, ids, orders: answer.orders, receipt: null }
  }
  const names: ListNames = { list: hash, ids, nonce: list.nonce, session_id: session.id }
  let fault = ''
  let cause: unknown
  for (let tries = 0; tries < TRIES; tries++) {
    const challenge = randomWord()
    try {
      const { orders, receipt } = await send({ ...wire, signature, challenge })
      const expected = { what: ['registered'], session: session.hash, id: hash, challenge } as const
      const why = await receiptFault(deps, receipt, expected)
      if (why === null) return { list: hash, ids, orders, receipt: receipt as Receipt }
      fault = why
    } catch (error) {
      if (!isRefusal(error)) throw error
      ;[fault, cause] = ['the server refused it', error]
      if (list.replaces.length > 0 && (await hasChanged())) return names
    }
  }
  return unconfirmed(fault, { details: { ...names }, cause })
}
