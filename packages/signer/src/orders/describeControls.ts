import type { Hex } from '@pit/chain'
import { boundControls, fail } from '@pit/protocol'
import type { BreakerStatus, ControlLevels, ControlsStatus, OrderStatus } from '@pit/signer-wire'
import { profitOf } from '../brakes/book.ts'
import { bookPricesOf } from '../brakes/bookPrices.ts'
import { bestOf } from '../brakes/breaker.ts'
import { readBook } from '../brakes/store.ts'
import type { Session } from '../roots/readRoots.ts'
import { reservedOf, spentOf } from './budget.ts'
import type { ControlDeps } from './countControlled.ts'
import { unsignedWorth } from './readControlRows.ts'
import { lastOrders, readTotals } from './store.ts'
import type { OrderTotals, StoredOrder } from './types.ts'

/** The answer stays well below its maximum size. */
const MAX_ORDERS = 500

type DescribeDeps = Pick<ControlDeps, 'db' | 'clock' | 'pins' | 'prices'> & {
  sessions: { find(rootHash: Hex): Session | null | Promise<Session | null> }
}

/** A session's orders and brakes as the ledger has them; the newest orders first. */
export async function describeControls(deps: DescribeDeps, rootHash: Hex): Promise<ControlsStatus> {
  const { db } = deps
  const session = await deps.sessions.find(rootHash)
  if (!session) fail('NO_SESSION', { message: 'The root is not registered.' })
  const orders = await lastOrders(db, rootHash, MAX_ORDERS)
  const totals = await readTotals(db, orders)
  return { ...(await levelsOf(deps, session)), orders: orders.map((order) => statusOf(order, totals)) }
}

/** Where sessions stand against their controls; those without controls are absent. */
export async function describeLevels(
  deps: DescribeDeps,
  rootHashes: readonly Hex[],
): Promise<{ levels: ControlLevels[] }> {
  const sessions = await Promise.all(rootHashes.map((hash) => deps.sessions.find(hash)))
  const controlled = sessions.filter((one) => one !== null && boundControls(one.binding) !== undefined)
  return { levels: await Promise.all(controlled.map((one) => levelsOf(deps, one!))) }
}

const levelsOf = async (deps: DescribeDeps, session: Session): Promise<ControlLevels> => ({
  root_hash: session.rootHash,
  unsigned_micro_usd: Number(await unsignedWorth(deps.db, session.rootHash, deps.clock.nowMs())),
  breakers: await breakersOf(deps, session),
})

function statusOf(stored: StoredOrder, totals: readonly OrderTotals[]): OrderStatus {
  const { id, listHash, position, order, registeredAtMs, metAtMs, ended } = stored
  return {
    id,
    list_hash: listHash,
    position,
    registered_at: Math.floor(registeredAtMs / 1000),
    ended: ended && { how: ended.how, at: Math.floor(ended.atMs / 1000) },
    met: metAtMs !== null || order.trigger.kind === 'none',
    reserved_in: reservedOf(totals, stored).toString(),
    spent_in: spentOf(totals, stored).toString(),
    received_out: (totals.find((one) => one.id === id)?.received ?? 0n).toString(),
  }
}

async function breakersOf(
  { db, clock, pins, prices }: DescribeDeps,
  { rootHash, binding }: Session,
): Promise<BreakerStatus[]> {
  const breakers = boundControls(binding)?.breakers ?? []
  if (breakers.length === 0) return []
  const atMs = clock.nowMs()
  const { book, breakers: states } = await readBook(db, rootHash, { breakers, atMs })
  const profit = profitOf(book, bookPricesOf({ pins, prices, binding, nowMs: atMs }))
  return breakers.map((breaker, i): BreakerStatus => {
    const state = states[i]!
    const best = bestOf(state, breaker, atMs)
    const isTripped = state.trippedUntilMs !== null && state.trippedUntilMs > atMs
    return {
      max_fall_micro_usd: breaker.max_fall_micro_usd,
      best_micro_usd: profit === null || best === null ? null : Number(best > profit ? best : profit),
      now_micro_usd: profit === null ? null : Number(profit),
      tripped_until: isTripped ? Math.ceil(state.trippedUntilMs! / 1000) : null,
    }
  })
}
