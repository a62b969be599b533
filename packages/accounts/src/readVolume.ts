import type { Address } from '@pit/chain'
import { createCache } from '@pit/platform/cache'
import { nowS, withinMs } from '@pit/platform/clock'
import { DAY_S, FEE, refusal } from '@pit/protocol'
import { volumeSince } from '@pit/relay'
import { Counter } from 'prom-client'
import type { AccountDeps } from './deps.ts'
import { tierOf } from './rules.ts'

/** How long a volume is cached, so the maximum delay of a better rate. */
const KEEP_MS = 3_000
const MAX_WALLETS = 20_000
/** How long a quote waits for the store. */
const PATIENCE_MS = 1_500
/** While the store is unavailable nothing is relayed, so a volume can only shrink. */
const LAST_KNOWN_MS = 600_000
const REST_AFTER_FAILURE_MS = 1_000
const WINDOW_S = FEE.volumeWindowDays * DAY_S

export interface VolumeReader {
  /** Millionths of a dollar, mined in the last 30 days. */
  volume(wallet: Address): Promise<bigint>
  /** The wallet's rate for major trades; the posted rate without a wallet. */
  tierBps(wallet: Address | null): Promise<number>
}

/**
 * If the store does not respond, a wallet keeps its rate of a few minutes ago; a wallet without a known rate is
 * refused, since the posted rate could overcharge it unnoticed.
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
    help: 'Fee tiers served from memory because the store did not respond.',
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
    // Shortly after a failure, use the last known rate instead of waiting again.
    const lastVolume = clock.nowMs() < restUntilMs ? lastKnown(wallet) : undefined
    if (lastVolume !== undefined) return lastVolume
    try {
      const value = volumes.load(wallet, read)
      return typeof value === 'bigint' ? value : await withinMs(patienceMs, value, late)
    } catch (error) {
      if (clock.nowMs() >= restUntilMs) logger.warn({ err: error }, 'failed to read the wallet’s volume')
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
  refusal('ENGINE_UNAVAILABLE', { message: 'The store does not respond. Retry shortly.' })
