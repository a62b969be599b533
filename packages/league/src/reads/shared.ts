import type { Clock } from '@pit/platform/clock'
import { serialise } from './serialise.ts'

export interface SharedAnswers {
  /** The bytes of an answer: built once for everyone, again when they are old. */
  get(key: string): Promise<Buffer>
}

const LEAST_MS = 1_000
/** An answer that took long to build is kept longer, so that building never takes most of the time. */
const TIMES_BUILT = 10
const MOST_MS = 30_000

/** Answers that all readers share: one is built at a time for each key, and whoever asks meanwhile waits for that one. */
export function createSharedAnswers({
  clock,
  most,
  build,
}: {
  clock: Clock
  most: number
  build(key: string): Promise<object>
}): SharedAnswers {
  const kept = new Map<string, { bytes: Buffer; builtAtMs: number; keepMs: number }>()
  const building = new Map<string, Promise<Buffer>>()

  async function buildNow(key: string): Promise<Buffer> {
    const startedMs = performance.now()
    const bytes = await serialise(await build(key))
    const keepMs = Math.min(Math.max(LEAST_MS, (performance.now() - startedMs) * TIMES_BUILT), MOST_MS)
    kept.delete(key)
    kept.set(key, { bytes, builtAtMs: clock.nowMs(), keepMs })
    for (const old of kept.keys()) if (kept.size > most) kept.delete(old)
    return bytes
  }

  return {
    async get(key) {
      const known = kept.get(key)
      const ageMs = known ? clock.nowMs() - known.builtAtMs : 0
      // A clock that was set back must not freeze an answer.
      if (known && ageMs >= 0 && ageMs < known.keepMs) return known.bytes
      let under = building.get(key)
      if (!under) {
        under = buildNow(key).finally(() => building.delete(key))
        building.set(key, under)
      }
      return under
    },
  }
}
