import type { Hex } from '@pit/chain'
import { lookUntil, type Timer } from '@pit/platform/clock'
import { askReceipt, type Receipt, readOne } from '@pit/platform/reads'
import type { Rpc } from '@pit/platform/rpc'

export type FeeFate = 'mined' | 'reverted' | 'not yet' | 'too many'

/** Waits for fees to be mined, on behalf of the keys whose swaps follow them. */
export type FeeWaiter = (keyId: number, hash: Hex) => Promise<FeeFate>

/** How long a swap waits for its fee to be mined: many blocks. */
const MINED_WITHIN_MS = 6_000
const STEP_MS = 100
/** Fees one key may wait for at the same time. */
const MAX_PER_KEY = 4

/** Calls that wait for the same fee share one polling loop. */
export function createFeeWaiter(
  { rpc, clock }: { rpc: Pick<Rpc, 'request'>; clock: Timer },
  { withinMs = MINED_WITHIN_MS, stepMs = STEP_MS } = {},
): FeeWaiter {
  const waiting = new Map<Hex, Promise<FeeFate>>()
  const byKey = new Map<number, Map<Hex, number>>()

  async function watch(hash: Hex): Promise<FeeFate> {
    const look = () => readOne(rpc, askReceipt(hash)).catch(() => null)
    const holds = (receipt: Receipt | null) => receipt !== null
    const receipt = await lookUntil(clock, look, { holds, withinMs, everyMs: stepMs })
    if (receipt === null) return 'not yet'
    return receipt.ok ? 'mined' : 'reverted'
  }

  function shared(hash: Hex): Promise<FeeFate> {
    const other = waiting.get(hash)
    if (other) return other
    const own = watch(hash).finally(() => waiting.delete(hash))
    waiting.set(hash, own)
    return own
  }

  return async (keyId, hash) => {
    const waits = byKey.get(keyId) ?? new Map<Hex, number>()
    if (!waits.has(hash) && waits.size >= MAX_PER_KEY) return 'too many'
    byKey.set(keyId, waits.set(hash, (waits.get(hash) ?? 0) + 1))
    try {
      return await shared(hash)
    } finally {
      const remaining = waits.get(hash)! - 1
      if (remaining > 0) waits.set(hash, remaining)
      else waits.delete(hash)
      if (waits.size === 0) byKey.delete(keyId)
    }
  }
}
