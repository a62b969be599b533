import { type Address, BEACON_SLOT } from '@pit/chain'
import { createCache } from '@pit/platform/cache'
import { askStorage, readOne } from '@pit/platform/reads'
import type { Rpc } from '@pit/platform/rpc'
import type { FeeClass } from '@pit/protocol'
import type { Pins } from '../pins.ts'

const KEEP_MS = 60_000
const MAX_CACHED = 10_000

export type FeeClassReader = ReturnType<typeof createFeeClassReader>
/** The class of a trade's two tokens. */
export interface EndsReading {
  feeClass: FeeClass
  /** Whether one of them is on the stock beacon, or a listed stock that no longer is. */
  hasStock: boolean
}
type Kind = 'core' | 'core stock' | 'stock' | 'stock off the beacon' | 'other'

/** Reads the fee class of two tokens from the chain; undefined if that fails. */
export function createFeeClassReader({ rpc, pins }: { rpc: Pick<Rpc, 'request'>; pins: Pins }) {
  const cache = createCache<Address, Kind>({
    max: MAX_CACHED,
    ttlMs: KEEP_MS,
    clock: { nowMs: () => performance.now() },
  })

  /** The beacon alone decides the class; whether a token is an issued stock is a risk, not a class. */
  async function readKind(token: Address): Promise<Kind> {
    const word = await readOne(rpc, askStorage(token, BEACON_SLOT))
    if (pins.stockBeacon !== null && BigInt(word) === BigInt(pins.stockBeacon)) return 'stock'
    return pins.tokens.get(token)?.stock === true ? 'stock off the beacon' : 'other'
  }

  function kindOf(token: Address): Kind | Promise<Kind> {
    const pinned = pins.tokens.get(token)
    if (pinned?.core) return pinned.stock ? 'core stock' : 'core'
    return cache.load(token, readKind)
  }

  return {
    /** Synchronous if both are core tokens, as in most trades. */
    read(tokens: readonly Address[]): EndsReading | Promise<EndsReading | undefined> {
      const kinds = tokens.map(kindOf)
      if (kinds.every((kind) => typeof kind === 'string')) return readingOf(kinds)
      return Promise.all(kinds).then(readingOf, () => undefined)
    },
  }
}

const MAJOR: readonly Kind[] = ['core', 'core stock', 'stock']

const readingOf = (kinds: readonly Kind[]): EndsReading => ({
  feeClass: kinds.every((kind) => MAJOR.includes(kind)) ? 'major' : 'other',
  hasStock: kinds.some((kind) => kind.includes('stock')),
})
