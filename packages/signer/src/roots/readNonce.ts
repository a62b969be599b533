import { type Address, readNonceCall } from '@pit/chain'
import { createCache } from '@pit/platform/cache'
import { askCall, readOne, wordsIn } from '@pit/platform/reads'
import type { Rpc } from '@pit/platform/rpc'
import type { Pins } from '../pins.ts'

const KEEP_MS = 500
const MAX_CACHED = 10_000

/** Null if the chain does not answer. */
export type NonceReader = (wallet: Address) => Promise<bigint | null>

/** The wallet's nonce at the NonceEnforcer, as the co-signer reads it. */
export async function readNonce(
  rpc: Pick<Rpc, 'request'>,
  { addresses }: Pick<Pins, 'addresses'>,
  wallet: Address,
): Promise<bigint | null> {
  try {
    return wordsIn(await readOne(rpc, askCall(readNonceCall(addresses, wallet))), 1)?.[0] ?? null
  } catch {
    return null
  }
}

/** The same for every leaf: one reading serves the calls of half a second. */
export function createNonceReader({ rpc, pins }: { rpc: Pick<Rpc, 'request'>; pins: Pins }): NonceReader {
  const cache = createCache<Address, bigint | null>({
    max: MAX_CACHED,
    ttlMs: (nonce) => (nonce === null ? 0 : KEEP_MS),
    clock: { nowMs: () => performance.now() },
  })
  return async (wallet) => cache.load(wallet, () => readNonce(rpc, pins, wallet))
}
