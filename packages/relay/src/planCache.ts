import type { Hex } from '@pit/chain'
import type { PlannedTx } from './types.ts'

/** Transactions this process stored lately, so that submitting them needs no look-up. */
export interface PlanCache {
  get(keyId: number, hash: Hex): PlannedTx | undefined
  put(keyId: number, hash: Hex, planned: PlannedTx): void
}

const MAX_KEPT = 4_000

export function createPlanCache(max = MAX_KEPT): PlanCache {
  const kept = new Map<string, PlannedTx>()
  const nameOf = (keyId: number, hash: Hex) => `${keyId}:${hash}`
  return {
    get: (keyId, hash) => kept.get(nameOf(keyId, hash)),
    put(keyId, hash, planned) {
      const name = nameOf(keyId, hash)
      // Deleted first, so that the map's order is by when they were stored.
      kept.delete(name)
      kept.set(name, planned)
      if (kept.size <= max) return
      const [oldest] = kept.keys()
      if (oldest !== undefined) kept.delete(oldest)
    },
  }
}
