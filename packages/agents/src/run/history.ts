import type { Mark } from '@pit/brains'
import type { Address } from '@pit/chain'
import { marksAfter } from '@pit/market'
import type { Clock } from '@pit/platform/clock'
import type { Sql } from '@pit/platform/db'

/** In-memory minute marks of tokens, shared by all agents: one read a minute. */
export interface MarkHistory {
  /** Loads the marks of these tokens up to this minute. */
  refresh(tokens: Iterable<Address>): Promise<void>
  /** Marks of the last `spanS`, oldest first, as loaded by `refresh`. */
  of(token: Address, spanS: number): readonly Mark[]
}

/** Longest history any rule brain uses. */
export const MAX_HISTORY_S = 8 * 86_400
/** Never reached: only tokens of the profile have marks. */
const MAX_TOKENS = 200
/** A minute's marks are written shortly after it starts. */
const SETTLES_MS = 3_000

interface CachedMarks {
  marks: Mark[]
  /** The last minute read. */
  readUntilS: number
}

export function createMarkHistory({ db, clock }: { db: Sql; clock: Clock }): MarkHistory {
  const cache = new Map<Address, CachedMarks>()
  let underWay: Promise<void> = Promise.resolve()

  async function read(tokens: readonly Address[], minuteS: number): Promise<void> {
    const newMarks = await marksAfter(
      db,
      tokens.map((token) => ({ token, afterS: afterS(token, minuteS) })),
    )
    for (const token of tokens) {
      const marks = cache.get(token)?.marks ?? []
      const series = newMarks.get(token)
      for (const [i, atS] of (series?.minutes ?? []).entries()) {
        marks.push({ atS, priceE18: series!.prices[i]! })
      }
      const oldest = marks.findIndex(({ atS }) => atS >= minuteS - MAX_HISTORY_S)
      // Trim occasionally, not every minute.
      const trimmed = oldest > 1_000 ? marks.slice(oldest) : marks
      if (cache.size < MAX_TOKENS || cache.has(token))
        cache.set(token, { marks: trimmed, readUntilS: minuteS })
    }
  }

  const afterS = (token: Address, minuteS: number): number =>
    cache.get(token)?.marks.at(-1)?.atS ?? minuteS - MAX_HISTORY_S

  return {
    refresh(tokens) {
      const minuteS = Math.floor((clock.nowMs() - SETTLES_MS) / 60_000) * 60
      const requested = new Set(tokens)
      const isBehind = (token: Address) => (cache.get(token)?.readUntilS ?? 0) < minuteS
      if (![...requested].some(isBehind)) return Promise.resolve()
      // Serialized; a caller that waited may find its tokens loaded.
      underWay = underWay
        .catch(() => undefined)
        .then(async () => {
          // Include all cached tokens, so that they are read together once a minute.
          const due = [...new Set([...requested, ...cache.keys()])].filter(isBehind)
          if (due.length > 0) await read(due, minuteS)
        })
      return underWay
    },
    of(token, spanS) {
      const marks = cache.get(token)?.marks
      if (!marks || marks.length === 0 || spanS <= 0) return NONE
      const fromS = Math.floor(clock.nowMs() / 1_000) - spanS
      return marks[0]!.atS >= fromS ? marks : marks.slice(firstFrom(marks, fromS))
    },
  }
}

const NONE: readonly Mark[] = []

/** Index of the first mark at or after a time (marks are sorted). */
function firstFrom(marks: readonly Mark[], fromS: number): number {
  let [low, high] = [0, marks.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (marks[middle]!.atS < fromS) low = middle + 1
    else high = middle
  }
  return low
}
