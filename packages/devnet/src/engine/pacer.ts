/** Mines a block at each interval, one at a time. */
export interface Pacer {
  /**
   * With `restMs`, blocks are mined on time only while they are awaited; otherwise all that became due together, at
   * most this much later.
   */
  start(pace: { everyMs: number; restMs?: number | undefined }): void
  /** Mines the blocks that are due by now; undefined if there are none. */
  catchUp(): Promise<void> | undefined
  /** To be called when blocks begin to be awaited. */
  hurry(): void
  stop(): void
}

interface PacerDeps {
  /** Must not throw. */
  mine(atMs: number): Promise<unknown>
  isAwaited(): boolean
  now(): number
}

/** Later than this beyond the rest, as after a suspended machine, blocks are left out. */
const MAX_LATE_MS = 1_000

export function createPacer({ mine, isAwaited, now }: PacerDeps): Pacer {
  let everyMs = 0
  let restMs = 0
  let dueMs = Number.POSITIVE_INFINITY
  let timer: NodeJS.Timeout | undefined
  let underWay: Promise<void> | undefined
  const isOnTime = () => restMs === 0 || isAwaited()

  function arm(): void {
    clearTimeout(timer)
    if (dueMs === Number.POSITIVE_INFINITY) return
    // A clock that was set back delays no block.
    dueMs = Math.min(dueMs, now() + everyMs)
    timer = setTimeout(run, Math.max(0, dueMs + (isOnTime() ? 0 : restMs) - now()))
  }

  function run(): Promise<void> {
    underWay ??= mineDue().finally(() => {
      underWay = undefined
      arm()
    })
    return underWay
  }

  async function mineDue(): Promise<void> {
    dueMs = Math.max(dueMs, now() - restMs - MAX_LATE_MS)
    do {
      const isLate = !isOnTime()
      await mine(isLate ? dueMs : now())
      dueMs += everyMs
      // Awaited blocks come one at a time: a beat that passed meanwhile is left out.
      if (!isLate) while (dueMs <= now()) dueMs += everyMs
    } while (dueMs <= now())
  }

  return {
    start(pace) {
      everyMs = pace.everyMs
      restMs = pace.restMs ?? 0
      dueMs = now() + everyMs
      arm()
    },
    catchUp() {
      if (isOnTime()) return undefined
      return underWay ?? (dueMs > now() ? undefined : run())
    },
    hurry() {
      if (!underWay) arm()
    },
    stop() {
      dueMs = Number.POSITIVE_INFINITY
      clearTimeout(timer)
    },
  }
}
