import { setImmediate } from 'node:timers/promises'
import { createCache } from '@pit/platform/cache'
import type { Clock } from '@pit/platform/clock'

export interface SharedAnswers {
  /** The bytes of an answer: built once for everyone, again when they are old. */
  get(key: string): Promise<Buffer>
}

const MIN_KEPT_MS = 1_000
/** An answer that took long to build is kept longer, so that building never takes most of the time. */
const KEPT_PER_BUILD = 10
const MAX_KEPT_MS = 30_000
const ROWS_PER_PART = 500

/** Answers that all readers share: whoever asks while one is built waits for that one. */
export function createSharedAnswers({
  clock,
  max,
  build,
}: {
  clock: Clock
  max: number
  build(key: string): Promise<object>
}): SharedAnswers {
  const kept = createCache<string, { bytes: Buffer; keepMs: number }>({
    max,
    clock,
    ttlMs: ({ keepMs }) => keepMs,
  })

  async function buildNow(key: string): Promise<{ bytes: Buffer; keepMs: number }> {
    const startedMs = performance.now()
    const bytes = await serialise(await build(key))
    const tookMs = performance.now() - startedMs
    // The cache counts age from before the build.
    return { bytes, keepMs: tookMs + Math.min(Math.max(MIN_KEPT_MS, tookMs * KEPT_PER_BUILD), MAX_KEPT_MS) }
  }

  return { get: async (key) => (await kept.load(key, buildNow)).bytes }
}

/** An answer as bytes. Rows are written some at a time: ten thousand at once would hold everyone else up. */
export async function serialise(answer: object): Promise<Buffer> {
  const { rows } = answer as { rows?: readonly unknown[] }
  if (!Array.isArray(rows) || rows.length <= ROWS_PER_PART) return Buffer.from(JSON.stringify(answer))
  const parts: Buffer[] = []
  for (let from = 0; from < rows.length; from += ROWS_PER_PART) {
    const text = JSON.stringify(rows.slice(from, from + ROWS_PER_PART))
    parts.push(Buffer.from(`${from === 0 ? '' : ','}${text.slice(1, -1)}`))
    await setImmediate()
  }
  const rest = JSON.stringify({ ...answer, rows: undefined })
  return Buffer.concat([Buffer.from('{"rows":['), ...parts, Buffer.from(`],${rest.slice(1)}`)])
}
