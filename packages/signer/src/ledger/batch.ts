import { refusal } from '@pit/protocol'

/**
 * Runs what is asked at the same time together: while one batch is under way the next one gathers, in the order of the
 * asking. Past its bounds it is BUSY, before anything was done.
 */
export function createBatch<Item, Result>({
  run,
  maxItems,
  maxWaiting,
  maxWaitMs,
}: {
  /** One result for each item. When it throws, nothing it did counts. */
  run(items: readonly Item[]): Promise<readonly Result[]>
  maxItems: number
  maxWaiting: number
  maxWaitMs: number
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
    // A turn for whoever asks in this one too.
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
    if (performance.now() - sinceMs <= maxWaitMs) return true
    reject(refusal('BUSY'))
    return false
  }

  return {
    async ask(item: Item): Promise<Result> {
      if (waiting.length >= maxWaiting) throw refusal('BUSY')
      return new Promise<Result>((resolve, reject) => {
        waiting.push({ item, sinceMs: performance.now(), resolve, reject })
        running ??= work()
      })
    },
    /** When everything asked so far is answered. */
    idle: async (): Promise<void> => {
      while (running) await running
    },
  }
}
