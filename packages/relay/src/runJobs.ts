import { nowS } from '@pit/platform/clock'
import type { RelayDeps } from './deps.ts'
import type { RelayMetrics } from './metrics.ts'
import { addressesOf } from './receipts/amounts.ts'
import { createOpenFollower, type FollowDeps } from './receipts/followOpen.ts'
import { createGivenUpWatcher, settleMined } from './receipts/settleRows.ts'
import { valueVolumes, volumeScales } from './receipts/valueVolumes.ts'
import type { RelayOnce } from './relayOnce.ts'
import { sweepPlans, sweepRefused } from './sweepPlans.ts'

const LOOK_EVERY_MS = 50
const SETTLE_EVERY_MS = 2_000
const GIVEN_UP_EVERY_MS = 10_000
/** A tier may be so late. It looks at every trade whose minute has no mark yet. */
const VALUE_EVERY_MS = 2_000
const SWEEP_EVERY_MS = 30_000
const PAUSE_AFTER_FAILURE_MS = 1_000

export interface Jobs {
  wake(): void
  stop(): Promise<void>
}

/** What finishes relayed transactions: receipts, blocks looked at again, volumes, old plans. */
export function runJobs(
  deps: RelayDeps,
  { counted, relayOnce }: { counted: RelayMetrics; relayOnce: Pick<RelayOnce, 'isRelaying'> },
): Jobs {
  const { db, clock, logger, market } = deps
  const follow: FollowDeps = {
    ...deps,
    addresses: addressesOf(deps),
    counted,
    isRelaying: relayOnce.isRelaying,
  }
  const open = createOpenFollower(follow)
  const scales = volumeScales(deps.profile)
  let valuedTo = 0
  counted.watchOpen(open.size)

  async function settle(): Promise<void> {
    while (await settleMined(follow)) if (stopping) return
  }
  let stopping = false
  const told = (what: string) => {
    let troubled = false
    return (error: unknown) => {
      if (error !== null && !troubled) logger.warn({ err: error }, what)
      troubled = error !== null
    }
  }
  const rounds = [
    every(LOOK_EVERY_MS, open.round, told('receipts cannot be followed')),
    every(SETTLE_EVERY_MS, settle, told('mined transactions were not looked at again')),
    every(GIVEN_UP_EVERY_MS, createGivenUpWatcher(follow), told('given-up transactions were not looked for')),
    every(
      VALUE_EVERY_MS,
      async () => {
        valuedTo = (await valueVolumes(db, scales, nowS(clock), { after: valuedTo })).next
      },
      told('volumes were not valued'),
    ),
    every(SWEEP_EVERY_MS, async () => void (await sweepPlans(deps)), told('old plans were not swept')),
    every(
      SWEEP_EVERY_MS,
      async () => void (await sweepRefused(deps)),
      told('old refused transactions were not swept'),
    ),
  ]
  const stopListening = market.onBlock(() => open.lookSoon())
  return {
    wake: open.wake,
    async stop() {
      stopping = true
      stopListening()
      await Promise.all(rounds.map((end) => end()))
    },
  }
}

/** Runs rounds one after another. `ended` gets each round's error or null. The result stops and waits. */
function every(ms: number, work: () => Promise<void>, ended: (error: unknown) => void): () => Promise<void> {
  let stopped = false
  let running: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout
  const next = (pauseMs: number) => {
    timer = setTimeout(() => {
      running = work().then(
        () => {
          ended(null)
          if (!stopped) next(ms)
        },
        (error) => {
          ended(error)
          if (!stopped) next(Math.max(ms, PAUSE_AFTER_FAILURE_MS))
        },
      )
    }, pauseMs)
  }
  next(0)
  return async () => {
    stopped = true
    clearTimeout(timer)
    await running
  }
}
