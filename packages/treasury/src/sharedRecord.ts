import { type AnswerDeps, type Built, buildAnswer } from './buildAnswer.ts'
import { readHead } from './store.ts'

/** Maximum age of previews and balances, unless building them takes long. */
const REBUILD_MS = 30_000
/** Building takes at most this fraction (1/n) of the time, to leave the store to others. */
const BUILD_SHARE = 100
/** A row recorded by another process is seen within this. */
const LOOK_MS = 1_000
/** While the store does not answer, the last response is served for this long. */
const OUTLIVE_MS = 600_000

/** The public record as JSON text, shared by all readers; built again when it changed or has aged. */
export function createSharedRecord(deps: AnswerDeps): {
  read(): Promise<string>
  /** Call after a change of the record: the next reader gets a new response. */
  forget(): void
} {
  let cached: (Built & { atMs: number; keepMs: number }) | null = null
  let lookedAtMs = Number.NEGATIVE_INFINITY
  let rebuilding: Promise<void> | null = null

  async function refresh(): Promise<void> {
    const nowMs = deps.clock.nowMs()
    const ageMs = cached ? nowMs - cached.atMs : Number.POSITIVE_INFINITY
    // A clock that was set back must not freeze the answer.
    if (cached && ageMs >= 0 && ageMs < cached.keepMs) {
      lookedAtMs = nowMs
      if ((await readHead(deps.db)).seq === cached.headSeq) return
    }
    const built = await buildAnswer(deps)
    const tookMs = deps.clock.nowMs() - nowMs
    cached = {
      ...built,
      atMs: nowMs,
      keepMs: Math.min(OUTLIVE_MS, Math.max(REBUILD_MS, tookMs * BUILD_SHARE)),
    }
    lookedAtMs = nowMs
  }

  return {
    async read() {
      const sinceMs = deps.clock.nowMs() - lookedAtMs
      if (!cached || sinceMs >= LOOK_MS || sinceMs < 0) {
        rebuilding ??= refresh().finally(() => {
          rebuilding = null
        })
        try {
          await rebuilding
        } catch (error) {
          if (!cached || deps.clock.nowMs() - cached.atMs > OUTLIVE_MS) throw error
          deps.logger.warn({ err: error }, 'the treasury’s answer could not be built again')
          lookedAtMs = deps.clock.nowMs()
        }
      }
      const { opening, atMs } = cached!
      const ageS = Math.max(0, Math.floor((deps.clock.nowMs() - atMs) / 1000))
      return `${opening},"cached_s":${ageS}}`
    },
    forget() {
      // Still served while the store does not answer.
      if (cached) cached = { ...cached, headSeq: -1 }
      lookedAtMs = Number.NEGATIVE_INFINITY
    },
  }
}
