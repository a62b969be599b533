import type { SeenBalance } from './book/cutToSeen.ts'
import type { StoredBalances } from './recordParts.ts'

/** Sampled balances by entry, hour and token. */
export function seenIn(
  rows: readonly { entry_id: number; at_s: number; balances: StoredBalances }[],
): (entryId: number) => SeenBalance {
  const byEntryAndHour = new Map(
    rows.map(({ entry_id, at_s, balances }) => [`${entry_id} ${at_s}`, balances]),
  )
  return (entryId) => (token, atS) => {
    const atoms = byEntryAndHour.get(`${entryId} ${atS}`)?.[token]
    return atoms == null ? null : BigInt(atoms)
  }
}
