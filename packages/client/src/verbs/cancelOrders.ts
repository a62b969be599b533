import type { Address, Hex, Receipt } from '@pit/chain'
import { type Answer, CONTROLS } from '@pit/protocol'
import type { ClientDeps, VerbOptions } from '../deps.ts'
import { isRefusal, must, readingAnswer } from '../errors.ts'
import { attestedExecutor } from '../orders/agentSession.ts'
import {
  type ExpectedReceipt,
  provenReceipt,
  randomWord,
  unconfirmed,
  withinReceiptTime,
} from '../orders/receipt.ts'
import { type RecordedOrder, recordedOrders } from '../orders/recordedOrders.ts'

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
  /** As the server lists them. */
  orders: readonly OrderRow[]
  /**
   * The pinned co-signer's, one per order that is not on paper: `after` is what became of it. `blocked`: it was
   * never registered, and never will be.
   */
  receipts: readonly Receipt[]
  /** Orders that this client placed on paper, where no co-signer confirms anything. */
  onPaper: readonly Hex[]
}

const ENDED: ReadonlySet<State> = new Set<State>(['filled', 'expired', 'cancelled', 'replaced', 'unfillable'])
/** Results of a cancellation that leave no open order. */
const OVER: ExpectedReceipt['what'] = ['cancelled', 'filled', 'replaced', 'expired', 'not_registered']
export const PAPER_SESSION: Hex = `0x${'0'.repeat(64)}`

/**
 * Cancels orders; refused unless the pinned co-signer confirms how each of them ended. Signs nothing.
 * @param request agent and ids; without ids every open order that the server lists or this client signed for
 * any session of the agent
 * @param options `signal`
 * @returns the co-signer's receipts, which say what became of each order
 * @throws RECEIPT_MISSING an order is not proven to be over
 * @example
 * ```ts
 * const { receipts: cancellations } = await client.orders.cancel({ agentId: agent.id })
 * console.log(cancellations.map(({ id, after }) => `${id} ${after}`))
 * await client.api['hosted.delete']({ params: { id: agent.id } })
 * ```
 */
export async function cancelOrders(
  deps: ClientDeps,
  { agentId, ids: given }: CancelOrdersRequest,
  options: VerbOptions = {},
): Promise<CancelledOrders> {
  await deps.checked()
  const recorded = new Map((await recordedOrders(deps)).map((one) => [one.id, one]))
  const ids = given?.map((id) => id.toLowerCase() as Hex) ?? (await openIds(deps, agentId, recorded, options))
  const cancelled: CancelledOrders = { agentId, orders: [], receipts: [], onPaper: [] }
  for (let i = 0; i < ids.length; i += CONTROLS.maxOpenOrders) {
    const some = ids.slice(i, i + CONTROLS.maxOpenOrders)
    const ended = await cancelSome(deps, { agentId, recorded, ids: some }, options)
    cancelled.orders = [...cancelled.orders, ...ended.orders]
    cancelled.receipts = [...cancelled.receipts, ...ended.receipts]
    cancelled.onPaper = [...cancelled.onPaper, ...ended.onPaper]
  }
  return cancelled
}

interface Cancelling {
  agentId: string
  recorded: ReadonlyMap<Hex, RecordedOrder>
  ids: readonly Hex[]
}

async function cancelSome(
  deps: ClientDeps,
  { agentId, recorded, ids }: Cancelling,
  options: VerbOptions,
): Promise<Omit<CancelledOrders, 'agentId'>> {
  const challenge = randomWord()
  const request = { params: { id: agentId }, body: { ids: [...ids], challenge } }
  const send = deps.api['hosted.orders.cancel']
  const answer = await withinReceiptTime((call) => send(request, call), options).catch((error: unknown) => {
    if (!isRefusal(error)) throw error
    return { orders: [], receipts: [], error }
  })
  const onPaper = ids.filter((id) => recorded.get(id)?.session === PAPER_SESSION)
  if ('error' in answer && onPaper.length > 0) throw answer.error
  const proofs: Receipt[] = []
  const open = new Map<Hex, string>()
  for (const id of ids) {
    if (onPaper.includes(id)) continue
    const proof = await proofOf(deps, answer.receipts, { id, challenge, own: recorded.get(id) })
    if (typeof proof === 'string') open.set(id, proof)
    else proofs.push(proof)
  }
  for (const [sessionId, own] of await bySession(deps, recorded, [...open.keys()]))
    for (const receipt of await cancelInSession(deps, { sessionId, recorded, ids: own }, options)) {
      proofs.push(receipt)
      open.delete(receipt.id)
    }
  const [first] = open
  if (first && 'error' in answer) throw answer.error
  if (first) unconfirmed(`order ${first[0]}: ${first[1]}`, { details: { ids: [...open.keys()] } })
  return { orders: answer.orders, receipts: proofs, onPaper }
}

/** The receipt that proves an order over, or why there is none. */
export async function proofOf(
  deps: ClientDeps,
  answered: readonly { id?: string }[] | undefined,
  { id, challenge, own }: { id: Hex; challenge: Hex; own: Pick<RecordedOrder, 'session'> | undefined },
): Promise<Receipt | string> {
  const expected = { what: OVER, session: own?.session ?? null, id, challenge }
  const proof = await provenReceipt(deps, answered, expected)
  if (typeof proof === 'string' || proof.what !== 'not_registered') return proof
  if (!own) return `not registered in session ${proof.session}, and no record here names its session`
  return proof.after === 'blocked' ? proof : 'not registered, and the co-signer has no room to block it'
}

/** Ids by the recorded session of each; without a record of the session they cannot be asked for there. */
async function bySession(
  { records }: ClientDeps,
  recorded: Cancelling['recorded'],
  ids: readonly Hex[],
): Promise<Map<string, Hex[]>> {
  const idsBySession = new Map<string, Hex[]>()
  if (ids.length === 0) return idsBySession
  const { records: sessions } = await records.sessions()
  for (const id of ids) {
    const hash = recorded.get(id)?.session
    const session = hash && sessions.find(({ roots }) => roots[0]!.hash === hash)
    if (session) idsBySession.set(session.session_id, [...(idsBySession.get(session.session_id) ?? []), id])
  }
  return idsBySession
}

/** At the session that signed them, whichever one the server believes the agent to have. */
async function cancelInSession(
  deps: ClientDeps,
  { sessionId, recorded, ids }: { sessionId: string } & Omit<Cancelling, 'agentId'>,
  options: VerbOptions,
): Promise<Receipt[]> {
  const challenge = randomWord()
  const body = { session_id: sessionId, ids: [...ids], challenge }
  const send = deps.api['live.session.orders.cancel']
  try {
    const { receipts } = await withinReceiptTime((call) => send({ body }, call), options)
    const proofs = await Promise.all(
      ids.map((id) => proofOf(deps, receipts, { id, challenge, own: recorded.get(id) })),
    )
    return proofs.filter((proof) => typeof proof !== 'string')
  } catch (error) {
    if (!isRefusal(error)) throw error
    return []
  }
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
 * Open orders by the server's list, and all that this client signed for any session of the agent's executor,
 * whatever the server says of them. Expired ones need no cancellation.
 */
async function openIds(
  deps: ClientDeps,
  agentId: string,
  recorded: Cancelling['recorded'],
  options: VerbOptions,
): Promise<Hex[]> {
  const all = [...recorded.values()]
  const isOnPaper = all.some((one) => one.agentId === agentId && one.session === PAPER_SESSION)
  const executors = isOnPaper ? [] : await executorsOf(deps, agentId, options)
  const { records: sessions } = await deps.records.sessions()
  const roots = new Set(
    sessions.filter(({ executor }) => executors.includes(executor)).map((one) => one.roots[0]!.hash),
  )
  const nowS = deps.nowMs() / 1000
  const signed = all.filter(
    (one) => (one.agentId === agentId || roots.has(one.session)) && one.order.expiresAt > nowS,
  )
  const { orders } = await listOrders(deps, agentId, options)
  const listed = orders.filter((row) => isOpenOrder(row) && row.order.expires_at > nowS)
  return [...new Set([...listed, ...signed].map(({ id }) => id.toLowerCase() as Hex))]
}

/** By the own record and by the co-signer's attestation; one of them is needed to know what "all" means. */
async function executorsOf(deps: ClientDeps, agentId: string, options: VerbOptions): Promise<Address[]> {
  const own = await deps.records.agent(agentId)
  const attested = await attestedExecutor(deps, agentId, options).catch((error: unknown) => {
    if (!isRefusal(error)) throw error
    if (own) return own.executor
    return unconfirmed(`no record on this machine names the sessions of agent ${agentId}`, { cause: error })
  })
  return own ? [own.executor, attested] : [attested]
}
