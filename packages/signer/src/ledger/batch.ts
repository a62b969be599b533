import { refusal } from '@pit/protocol'

/**
 * Runs concurrent calls together: while one batch runs the next one is collected, in order of arrival.
 * Past its limits a call is refused as BUSY before anything is done.
 */
export function createBatch<Item, Result>({
  run,
  maxItems,
  maxWaiting,
  maxWaitMs,
  nowMs,
}: {
  /** Returns one result for each item. If it throws, nothing was committed. */
  run(items: readonly Item[]): Promise<readonly Result[]>
  maxItems: number
  maxWaiting: number
  maxWaitMs: number
  /** A clock that is never set back. */
  nowMs(): number
}) {
  interface Waiting {
    item: Item
    sinceMs: number
    resolve(result: Result): void
    reject(error: unknown): void
  }
  const waiting: Waiting[] = []
  let running: Promise<void> | null = null

  async function work(): Promise<void> {
    // Lets calls that are made in the same turn of the event loop join the batch.
    await null
    while (waiting.length > 0) {
      const batch = waiting.splice(0, maxItems).filter(isInTime)
      if (batch.length === 0) continue
      try {
        const results = await run(batch.map(({ item }) => item))
        batch.forEach(({ resolve }, i) => {
          resolve(results[i] as Result)
        })
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    running = null
  }

  function isInTime({ sinceMs, reject }: Waiting): boolean {
    if (nowMs() - sinceMs <= maxWaitMs) return true
    reject(refusal('BUSY'))
    return false
  }

  return {
    async submit(item: Item): Promise<Result> {
      if (waiting.length >= maxWaiting) throw refusal('BUSY')
      return new Promise<Result>((resolve, reject) => {
        waiting.push({ item, sinceMs: nowMs(), resolve, reject })
        running ??= work()
      })
    },
    /** Resolves when all calls so far are answered. */
    idle: async (): Promise<void> => {
      while (running) await running
    },
  }
}
