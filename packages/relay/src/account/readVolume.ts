import type { Address } from '@pit/chain'
import { createCache } from '@pit/platform/cache'
import { nowS } from '@pit/platform/clock'
import { withinMs } from '@pit/platform/withinMs'
import { FEE, refusal } from '@pit/protocol'
import { Counter } from 'prom-client'
import type { AccountDeps } from './deps.ts'
import { tierOf } from './rules.ts'
import { volumeSince } from './store.ts'

/** Volume grows with what is mined; nobody waits longer than this for a better rate. */
const KEEP_MS = 3_000
const MAX_WALLETS = 20_000
/** A quote waits no longer for the store. */
const PATIENCE_MS = 1_500
/** While the store is away nothing is relayed, so a volume only shrinks as trades leave the window. */
const LAST_KNOWN_MS = 600_000
const REST_AFTER_FAILURE_MS = 1_000
const WINDOW_S = FEE.volumeWindowDays * 86_400

export interface VolumeReader {
  /** Millionths of a dollar, mined in the last 30 days. */
  volume(wallet: Address): Promise<bigint>
  /** The wallet's rate for major trades; without a wallet the posted one. */
  tierBps(wallet: Address | null): Promise<number>
}

/**
 * When the store does not answer, a wallet keeps the rate it had minutes ago; one whose rate is not known is
 * refused. The posted rate in its place would charge it more than it was told, and it would hardly notice.
 */
export function createVolumeReader({
  db,
  clock,
  logger,
  metrics,
  patienceMs = PATIENCE_MS,
}: Pick<AccountDeps, 'db' | 'clock' | 'logger' | 'metrics'> & { patienceMs?: number }): VolumeReader {
  const volumes = createCache<Address, bigint>({ max: MAX_WALLETS, ttlMs: KEEP_MS, clock })
  const read = (wallet: Address) => volumeSince(db, wallet, nowS(clock) - WINDOW_S)
  const remembered = new Counter({
    name: 'pit_tier_remembered_total',
    help: 'Fee tiers answered from memory because the store did not answer.',
    registers: [metrics.registry],
  })
  let restUntilMs = Number.NEGATIVE_INFINITY

  function lastKnown(wallet: Address): bigint | undefined {
    const reading = volumes.latest(wallet)
    if (!reading || clock.nowMs() - reading.atMs > LAST_KNOWN_MS) return undefined
    remembered.inc()
    return reading.value
  }

  async function volume(wallet: Address): Promise<bigint> {
    // Just after a failure nobody waits for another one who need not.
    const known = clock.nowMs() < restUntilMs ? lastKnown(wallet) : undefined
    if (known !== undefined) return known
    try {
      const value = volumes.load(wallet, read)
      return typeof value === 'bigint' ? value : await withinMs(patienceMs, value, late)
    } catch (error) {
      if (clock.nowMs() >= restUntilMs) logger.warn({ err: error }, 'a wallet’s volume cannot be read')
      restUntilMs = clock.nowMs() + REST_AFTER_FAILURE_MS
      const last = lastKnown(wallet)
      if (last !== undefined) return last
      throw error
    }
  }

  return {
    volume,
    tierBps: async (wallet) => (wallet === null ? FEE.majorMaxBps : tierOf(await volume(wallet))),
  }
}

const late = (): Error =>
  refusal('ENGINE_UNAVAILABLE', { message: 'The store does not answer: try again shortly.' })
