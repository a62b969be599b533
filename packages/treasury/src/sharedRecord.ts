import { type AnswerDeps, type Built, buildAnswer } from './buildAnswer.ts'
import { readHead } from './store.ts'

/** The preview and what the wallet holds are this old at most, unless building them takes long. */
const REBUILD_MS = 30_000
/** Building takes at most one part in this many of the time: the store has others to serve. */
const BUILD_SHARE = 100
/** A row recorded by another process is seen within this. */
const LOOK_MS = 1_000
/** While the store does not answer, the last answer does for this long. */
const OUTLIVE_MS = 600_000

/** The public record as JSON text, shared by all readers; built again when it changed or has aged. */
export function createSharedRecord(deps: AnswerDeps): {
  read(): Promise<string>
  /** The record has changed here: the next reader gets a new answer. */
  forget(): void
} {
  let kept: (Built & { atMs: number; keepMs: number }) | null = null
  let lookedAtMs = Number.NEGATIVE_INFINITY
  let underWay: Promise<void> | null = null

  async function refresh(): Promise<void> {
    const nowMs = deps.clock.nowMs()
    const ageMs = kept ? nowMs - kept.atMs : Number.POSITIVE_INFINITY
    // A clock that was set back must not freeze the answer.
    if (kept && ageMs >= 0 && ageMs < kept.keepMs) {
      lookedAtMs = nowMs
      if ((await readHead(deps.db)).seq === kept.headSeq) return
    }
    const built = await buildAnswer(deps)
    const tookMs = deps.clock.nowMs() - nowMs
    kept = { ...built, atMs: nowMs, keepMs: Math.min(OUTLIVE_MS, Math.max(REBUILD_MS, tookMs * BUILD_SHARE)) }
    lookedAtMs = nowMs
  }

  return {
    async read() {
      const sinceMs = deps.clock.nowMs() - lookedAtMs
      if (!kept || sinceMs >= LOOK_MS || sinceMs < 0) {
        underWay ??= refresh().finally(() => {
          underWay = null
        })
        try {
          await underWay
        } catch (error) {
          if (!kept || deps.clock.nowMs() - kept.atMs > OUTLIVE_MS) throw error
          deps.logger.warn({ err: error }, 'the treasury’s answer could not be built again')
          lookedAtMs = deps.clock.nowMs()
        }
      }
      const { opening, atMs } = kept!
      const ageS = Math.max(0, Math.floor((deps.clock.nowMs() - atMs) / 1000))
      return `${opening},"cached_s":${ageS}}`
    },
    forget() {
      // Still served while the store does not answer.
      if (kept) kept = { ...kept, headSeq: -1 }
      lookedAtMs = Number.NEGATIVE_INFINITY
    },
  }
}
