import type { Address, Hex } from '@pit/chain'
import type { Sql } from '@pit/platform/db'
import { CONTROLS, MICRO_USD_PER_USD } from '@pit/protocol'
import { budgetOf, reservedOf, spentOf } from './budget.ts'
import { endOrders, readTotals } from './store.ts'
import type { OrderTotals, StoredOrder } from './types.ts'

const MIN_PART_MICRO_USD = BigInt(CONTROLS.minPartUsd) * MICRO_USD_PER_USD

export type WorthOf = (token: Address, atoms: bigint) => bigint | null

/**
 * Ends those of a session's open orders that can never trade again: filled ones, and exits whose entry ended
 * without a trade. Returns the others. Its root is locked.
 */
export async function endSpent(
  sql: Sql,
  open: readonly StoredOrder[],
  { worthOf, atMs }: { worthOf: WorthOf; atMs: number },
): Promise<StoredOrder[]> {
  const { filled, orphans } = spentOrders(open, { totals: await readTotals(sql, open), worthOf })
  await endOrders(sql, { ids: filled, how: 'filled', atMs })
  await endOrders(sql, { ids: orphans, how: 'cancelled', atMs })
  return open.filter(({ id }) => !filled.includes(id) && !orphans.includes(id))
}

/** An order with a leaf that may still be sent, or whose entry may still trade, is neither. */
export function spentOrders(
  open: readonly StoredOrder[],
  { totals, worthOf }: { totals: readonly OrderTotals[]; worthOf: WorthOf },
): { filled: Hex[]; orphans: Hex[] } {
  const byId = new Map(open.map((one) => [one.id, one]))
  const totalsById = new Map(totals.map((one) => [one.id, one]))
  const isOrphan = (one: StoredOrder) =>
    one.parentId !== null && isFinal(one.parentId) && budgetOf(one, totals) === 0n
  return { filled: ids(isFilled), orphans: ids(isOrphan) }

  function ids(matches: (one: StoredOrder) => boolean): Hex[] {
    return open.filter(matches).map(({ id }) => id)
  }

  function isFilled(one: StoredOrder): boolean {
    const spent = spentOf(totals, one)
    if (spent === 0n || reservedOf(totals, one) !== spent) return false
    if (one.parentId !== null && !isFinal(one.parentId)) return false
    const rest = budgetOf(one, totals) - spent
    if (rest <= 0n) return true
    const worth = worthOf(one.order.tokenIn, rest)
    return worth !== null && worth < MIN_PART_MICRO_USD
  }

  /** Whether nothing more of an entry will be received. */
  function isFinal(id: Hex): boolean {
    const entry = byId.get(id)
    if (entry) return isFilled(entry)
    const leaves = totalsById.get(id)
    return leaves === undefined || leaves.reserved === leaves.spent
  }
}
