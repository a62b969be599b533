import type { Address, Hex } from '@pit/chain'
import type { Rpc } from '@pit/platform/rpc'
import type { FeeClass } from '@pit/protocol'
import type { Pins } from '../pins.ts'

/** EIP-1967: where a beacon proxy keeps its beacon. */
const BEACON_SLOT: Hex = '0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50'
const KEEP_MS = 60_000
const MAX_KEPT = 10_000

export type FeeClassReader = ReturnType<typeof createFeeClassReader>

/** The fee class of two tokens by the co-signer's own look at the chain. Undefined when it could not look. */
export function createFeeClassReader({ rpc, pins }: { rpc: Rpc; pins: Pins }) {
  const kept = new Map<Address, { isStock: Promise<boolean>; untilMs: number }>()

  async function readIsStock(token: Address): Promise<boolean> {
    const word = await rpc.request<Hex>('eth_getStorageAt', [token, BEACON_SLOT, 'latest'])
    return pins.stockBeacon !== null && BigInt(word) === BigInt(pins.stockBeacon)
  }

  function isStock(token: Address): Promise<boolean> {
    const known = kept.get(token)
    if (known && known.untilMs > performance.now()) return known.isStock
    const reading = readIsStock(token)
    kept.delete(token)
    kept.set(token, { isStock: reading, untilMs: performance.now() + KEEP_MS })
    for (const oldest of kept.keys()) {
      if (kept.size <= MAX_KEPT) break
      kept.delete(oldest)
    }
    reading.catch(() => {
      if (kept.get(token)?.isStock === reading) kept.delete(token)
    })
    return reading
  }

  const isCore = (token: Address): boolean => (pins.tokens.get(token)?.core ?? null) !== null

  return {
    /** Answers at once when both are core, as most are. */
    read(tokens: readonly Address[]): FeeClass | Promise<FeeClass | undefined> {
      const others = tokens.filter((token) => !isCore(token))
      if (others.length === 0) return 'major'
      return Promise.all(others.map(isStock)).then(
        (stocks) => (stocks.every(Boolean) ? 'major' : 'other'),
        () => undefined,
      )
    },
  }
}
