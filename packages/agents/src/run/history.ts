import type { Mark } from '@pit/brains'
import type { Address } from '@pit/chain'
import { marksAfter } from '@pit/market'
import type { Clock } from '@pit/platform/clock'
import type { Sql } from '@pit/platform/db'

/** Minute marks of tokens, in memory for everybody: one read a minute, however many agents look at them. */
export interface MarkHistory {
  /** Brings the marks of these tokens up to this minute. */
  refresh(tokens: Iterable<Address>): Promise<void>
  /** Of the last `spanS`, oldest first; what `refresh` has read. */
  of(token: Address, spanS: number): readonly Mark[]
}

/** As far back as any rule brain looks. */
export const MAX_HISTORY_S = 8 * 86_400
/** Only tokens of the profile have marks at all: this many are never reached. */
const MAX_TOKENS = 200
/** The marks of a minute are written a moment into it. */
const SETTLES_MS = 3_000

interface Kept {
  marks: Mark[]
  /** The last minute looked for. */
  lookedS: number
}

export function createMarkHistory({ db, clock }: { db: Sql; clock: Clock }): MarkHistory {
  const kept = new Map<Address, Kept>()
  let underWay: Promise<void> = Promise.resolve()

  async function read(tokens: readonly Address[], minuteS: number): Promise<void> {
    const found = await marksAfter(
      db,
      tokens.map((token) => ({ token, afterS: afterS(token, minuteS) })),
    )
    for (const token of tokens) {
      const marks = kept.get(token)?.marks ?? []
      const series = found.get(token)
      for (const [i, atS] of (series?.minutes ?? []).entries()) {
        marks.push({ atS, priceE18: series!.prices[i]! })
      }
      const oldest = marks.findIndex(({ atS }) => atS >= minuteS - MAX_HISTORY_S)
      // Copied now and then, not every minute.
      const trimmed = oldest > 1_000 ? marks.slice(oldest) : marks
      if (kept.size < MAX_TOKENS || kept.has(token)) kept.set(token, { marks: trimmed, lookedS: minuteS })
    }
  }

  const afterS = (token: Address, minuteS: number): number =>
    kept.get(token)?.marks.at(-1)?.atS ?? minuteS - MAX_HISTORY_S

  return {
    refresh(tokens) {
      const minuteS = Math.floor((clock.nowMs() - SETTLES_MS) / 60_000) * 60
      const asked = new Set(tokens)
      const isBehind = (token: Address) => (kept.get(token)?.lookedS ?? 0) < minuteS
      if (![...asked].some(isBehind)) return Promise.resolve()
      // One at a time; whoever waited finds it done.
      underWay = underWay
        .catch(() => undefined)
        .then(async () => {
          // All that are known, so that they are read together once a minute.
          const due = [...new Set([...asked, ...kept.keys()])].filter(isBehind)
          if (due.length > 0) await read(due, minuteS)
        })
      return underWay
    },
    of(token, spanS) {
      const marks = kept.get(token)?.marks
      if (!marks || marks.length === 0 || spanS <= 0) return NONE
      const fromS = Math.floor(clock.nowMs() / 1_000) - spanS
      return marks[0]!.atS >= fromS ? marks : marks.slice(firstFrom(marks, fromS))
    },
  }
}

const NONE: readonly Mark[] = []

/** The index of the first mark at or after a time; they are in order. */
function firstFrom(marks: readonly Mark[], fromS: number): number {
  let [low, high] = [0, marks.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (marks[middle]!.atS < fromS) low = middle + 1
    else high = middle
  }
  return low
}
