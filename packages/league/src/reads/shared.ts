import { setImmediate } from 'node:timers/promises'
import { createCache } from '@pit/platform/cache'
import type { Clock } from '@pit/platform/clock'

export interface SharedAnswers {
  /** A response as bytes: built once for all callers, and again when it expires. */
  get(key: string): Promise<Buffer>
}

const MIN_KEPT_MS = 1_000
/** A response that took long to build is cached longer, so that building never takes most of the time. */
const KEPT_PER_BUILD = 10
const MAX_KEPT_MS = 30_000
const ROWS_PER_PART = 500

/** Responses shared by all callers: a call during a build waits for that build. */
export function createSharedAnswers({
  clock,
  max,
  build,
}: {
  clock: Clock
  max: number
  build(key: string): Promise<object>
}): SharedAnswers {
  const cache = createCache<string, { bytes: Buffer; keepMs: number }>({
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

  return { get: async (key) => (await cache.load(key, buildNow)).bytes }
}

/** A response as bytes. Rows are serialised in parts: ten thousand at once would block other requests. */
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
