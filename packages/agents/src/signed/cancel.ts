import type { Hex } from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import type { Sql } from '@pit/platform/db'
import { fail } from '@pit/protocol'
import { type AgentSession, readSessions } from '@pit/sessions'
import type { SignedReceipt } from '@pit/signer-wire'
import type { AgentRequest, HostedDeps } from '../deps.ts'
import { askSigner } from '../signer.ts'
import { findOwned } from '../store.ts'
import { tickBy } from './applyVerdicts.ts'
import { endSigned } from './endSigned.ts'
import { randomWord, stopRunningTick } from './place.ts'
import { listsWith, openLists, type StoredList, type StoredOrder } from './store.ts'

export interface CancelRequest extends AgentRequest {
  /** Null: all open ones. */
  ids: readonly Hex[] | null
  challenge?: Hex
}

export interface Cancelled {
  orders: { list: StoredList; order: StoredOrder }[]
  receipts: SignedReceipt[]
}

/** Ends orders at the co-signer first, then here. Nothing moves, so an API key suffices. */
export async function cancelOrders(deps: HostedDeps, request: CancelRequest): Promise<Cancelled> {
  const { db, clock } = deps
  const agent = await findOwned(db, request)
  const lists = request.ids
    ? await listsWith(db, agent.id, request.ids, clock.nowMs())
    : await openLists(db, [agent.id], clock.nowMs())
  const isMeant = ({ id, state }: StoredOrder) => (request.ids ? request.ids.includes(id) : !ENDED.has(state))
  const ids = lists.flatMap(({ orders }) => orders.filter(isMeant).map(({ id }) => id))
  const unknown = request.ids?.findIndex((id) => !ids.includes(id)) ?? -1
  if (unknown >= 0 && agent.mode === 'paper')
    fail('BAD_REQUEST', {
      field: `ids.${unknown}`,
      message: `\`ids.${unknown}\` is not an order of this agent.`,
    })
  const receipts = agent.mode === 'live' ? await cancelLive(deps, agent.sessionId, request, lists) : []
  const atMs = clock.nowMs()
  const stays = new Set(receipts.flatMap(({ id, after }) => (after === 'cancelled' ? [] : [id])))
  const cancelled = ids.filter((id) => !stays.has(id))
  if (cancelled.length > 0) {
    await db.transaction(async (sql) => {
      const end = { state: 'cancelled', why: 'The owner cancelled it.' } as const
      if ((await endSigned(sql, agent.id, end, atMs, { ids: cancelled })).length === 0) return
      await endExits(sql, agent.id, lists, cancelled, atMs)
      await stopRunningTick(sql, agent.id)
      await tickBy(sql, [agent.id], atMs)
    })
  }
  const after = await listsWith(db, agent.id, ids, atMs)
  return {
    receipts,
    orders: after.flatMap((list) =>
      list.orders.filter(({ id }) => ids.includes(id)).map((order) => ({ list, order })),
    ),
  }
}

/** Exits of an entry that is cancelled before any fill, also while the agent does not tick. */
async function endExits(
  sql: Sql,
  agentId: string,
  lists: readonly StoredList[],
  ids: readonly Hex[],
  atMs: number,
): Promise<void> {
  const exits = lists.flatMap(({ orders }) =>
    orders.filter(({ order: { parent } }) => {
      const entry = parent > 0 ? orders[parent - 1] : undefined
      return entry && ids.includes(entry.id) && entry.fills.spentIn === 0n && entry.fills.open === null
    }),
  )
  const end = { state: 'cancelled', why: 'Its entry was cancelled.' } as const
  await endSigned(sql, agentId, end, atMs, { ids: exits.map(({ id }) => id) })
}

const ENDED: ReadonlySet<string> = new Set(['filled', 'expired', 'cancelled', 'replaced', 'unfillable'])

/** Per session, because an order belongs to one; ids that are unknown here may be known there. */
async function cancelLive(
  deps: HostedDeps,
  attachedId: string | null,
  { ids, challenge = randomWord(deps) }: CancelRequest,
  lists: readonly StoredList[],
): Promise<SignedReceipt[]> {
  const bySession = new Map<string, Hex[]>()
  const add = (sessionId: string, id: Hex) =>
    bySession.set(sessionId, [...(bySession.get(sessionId) ?? []), id])
  for (const { sessionId, orders } of lists)
    for (const { id, state } of orders)
      if (sessionId !== null && (ids ? ids.includes(id) : !ENDED.has(state))) add(sessionId, id)
  const storedIds = new Set([...bySession.values()].flat())
  for (const id of ids ?? []) if (!storedIds.has(id) && attachedId !== null) add(attachedId, id)
  if (ids === null && attachedId !== null) bySession.set(attachedId, bySession.get(attachedId) ?? [])
  const sessions = await readSessions(deps.db, [...bySession.keys()], nowS(deps.clock))
  const receipts: SignedReceipt[] = []
  for (const [sessionId, own] of bySession) {
    const session = sessions.get(sessionId)
    if (!session) continue
    receipts.push(
      ...(await cancelAt(deps, session, ids === null && sessionId === attachedId ? null : own, challenge)),
    )
  }
  return receipts
}

const cancelAt = async (
  deps: HostedDeps,
  { rootHash }: AgentSession,
  ids: readonly Hex[] | null,
  challenge: Hex,
): Promise<SignedReceipt[]> => {
  const which = ids === null ? ({ all: true } as const) : { ids }
  const { receipts } = await askSigner(deps, 'hosted.orders.cancel', (signer) =>
    signer.cancelOrders({ root_hash: rootHash, challenge, ...which }),
  )
  return receipts
}
