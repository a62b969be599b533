import {
  fromWireOrders,
  type Hex,
  type OrderList,
  orderId,
  orderListHash,
  toWireOrders,
  type WireOrderList,
} from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import type { Sql } from '@pit/platform/db'
import { CONTROLS, fail } from '@pit/protocol'
import type { RegisteredOrders, SignerCheck } from '@pit/signer-wire'
import { failuresOf, tradeRefusal } from '../checks.ts'
import { readFrozen } from '../ledger/openLedger.ts'
import { priceOf } from '../prices/priceOf.ts'
import type { OrderDeps } from './deps.ts'
import { endSpent, type WorthOf } from './endSpent.ts'
import { listRules } from './listRules.ts'
import { worthIn } from './orderStates.ts'
import { confirm, outstandingOf } from './receipts.ts'
import { replacedFault } from './replacedFault.ts'
import { endOrders, lockRoot, openOrders, orphansOf } from './store.ts'

export interface RegisterOrdersRequest {
  rootHash: Hex
  list: WireOrderList
  signature: Hex
  challenge: Hex
}

/** Registers all orders of a list that the owner signed, or none. The same list again gets a new receipt. */
export async function registerOrders(
  deps: OrderDeps,
  { rootHash, signature, challenge, ...request }: RegisterOrdersRequest,
): Promise<RegisteredOrders> {
  const { db, crypto, clock, pins, prices, cosigner, sessions } = deps
  const session = await sessions.find(rootHash)
  if (!session) fail('NO_SESSION', { message: 'The root is not registered.' })
  const list = fromWireOrders(request.list)
  const hash = orderListHash(crypto, list)
  const ids = list.orders.map((_, i) => orderId(crypto, hash, i))
  const failures = failuresOf(listRules, {
    crypto,
    addresses: pins.addresses,
    nowS: nowS(clock),
    headS: prices.headS() ?? 0,
    session,
    list,
    signature,
    walletNonce: await deps.walletNonce(session.binding.wallet),
    isSanctioned: deps.isSanctioned,
    isFeedless: (token) => prices.own(token).kind === 'feedless',
    priceOf: (token) => priceOf(token, { pins, prices, binding: session.binding }),
    triggerKind: deps.triggers.kindOf,
  })
  const registered = await db.transaction(async (sql) => {
    await lockRoot(sql, rootHash)
    const nowMs = clock.nowMs()
    const earlierMs = await registeredAt(sql, rootHash, hash)
    if (earlierMs === null) {
      if (failures.length > 0) throw tradeRefusal(failures, 'own executor')
      if (await readFrozen(sql)) fail('SIGNER_FROZEN')
      const worthOf = worthIn(deps, session)
      await addList(sql, { rootHash, list, hash, ids, signature, atMs: nowMs, worthOf })
    }
    const replaced = list.replaces.map(({ id }) => id)
    const outstanding = [...(await outstandingOf(sql, replaced, nowMs)).values()]
    return {
      before: earlierMs === null ? 'not_registered' : 'registered',
      atMs: earlierMs ?? nowMs,
      outstanding: {
        amount: outstanding.reduce((sum, { amount }) => sum + amount, 0n),
        untilS: Math.max(0, ...outstanding.map(({ untilS }) => untilS)),
      },
    } as const
  })
  const statement = { what: 'registered', session: rootHash, id: hash, after: 'registered' } as const
  const receipt = await confirm(cosigner, { ...statement, ...registered }, challenge)
  return { list_hash: hash, ids, receipt }
}

/** In this session: a receipt never says that another one's list was registered here. */
async function registeredAt(sql: Sql, rootHash: Hex, hash: Hex): Promise<number | null> {
  const [row] = await sql.query<{ at: number }>(
    'select registered_at_ms as at from order_lists where hash = $1 and root_hash = $2',
    [hash, rootHash],
  )
  return row?.at ?? null
}

interface NewList {
  rootHash: Hex
  list: OrderList
  hash: Hex
  ids: readonly Hex[]
  signature: Hex
  atMs: number
  worthOf: WorthOf
}

/** Throws the refusal of what only the ledger knows. */
async function addList(sql: Sql, newList: NewList): Promise<void> {
  const { rootHash, list, hash, ids, signature, atMs, worthOf } = newList
  const refuse = (rule: string, message: string, more: Partial<SignerCheck> = {}): never => {
    throw tradeRefusal([{ rule, ok: false, message, ...more }], 'own executor')
  }
  const revoked = await sql.query('select from revocations where root_hash = $1', [rootHash])
  if (revoked.length > 0) refuse('SESSION_REVOKED', 'The session was revoked.')
  const [cancelled] = await sql.query<{ id: Hex }>(
    'select id from cancelled_orders where root_hash = $1 and id = any($2::text[]) limit 1',
    [rootHash, ids],
  )
  if (cancelled)
    refuse('ORDER_ENDED', 'An order of the list was cancelled before it came.', { value: cancelled.id })
  const open = await openOrders(sql, rootHash, Math.floor(atMs / 1000))
  const fault = await replacedFault(sql, { rootHash, replaces: list.replaces, open, atMs })
  if (fault) refuse(fault.rule, fault.message, fault)
  const replaced = list.replaces.map(({ id }) => id)
  const others = open.filter(({ id }) => !replaced.includes(id))
  let count = others.length + ids.length
  if (count > CONTROLS.maxOpenOrders)
    count = (await endSpent(sql, others, { worthOf, atMs })).length + ids.length
  if (count > CONTROLS.maxOpenOrders) {
    const counts = { value: count, limit: CONTROLS.maxOpenOrders }
    refuse('ORDER_LIMIT', 'The session has too many open orders.', counts)
  }
  const added = await sql.query(
    `insert into order_lists (hash, root_hash, nonce, list, signature, registered_at_ms)
     values ($1, $2, $3, $4, $5, $6) on conflict do nothing returning hash`,
    [hash, rootHash, list.nonce, JSON.stringify(toWireOrders(list)), signature, atMs],
  )
  if (added.length === 0)
    refuse('ORDER_NONCE', 'Another list of this session has the same nonce.', { value: list.nonce })
  await endOrders(sql, { ids: replaced, how: 'replaced', atMs })
  await endOrders(sql, { ids: await orphansOf(sql, replaced), how: 'cancelled', atMs })
  const budget = list.orders.map(({ group }, i) =>
    group === 0 ? ids[i]! : ids[list.orders.findIndex((other) => other.group === group)]!,
  )
  await sql.query(
    `insert into orders (id, root_hash, list_hash, position, budget_id, parent_id, expires_at_s)
     select id, $1, $2, position, budget_id, parent_id, expires_at_s
     from unnest($3::text[], $4::int4[], $5::text[], $6::text[], $7::int8[])
       as t (id, position, budget_id, parent_id, expires_at_s)`,
    [
      rootHash,
      hash,
      ids,
      ids.map((_, i) => i),
      budget,
      list.orders.map(({ parent }) => (parent === 0 ? null : ids[parent - 1]!)),
      list.orders.map(({ expiresAt }) => expiresAt),
    ],
  )
}
