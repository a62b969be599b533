import { allMarks, pricesAt } from '@pit/market/markReads'
import type { Sql } from '@pit/platform/db'
import { DAY_S } from '@pit/protocol'
import { type EndMark, endMarkOf, FIXED_END, type MarketRecord, markCertainS, RULES } from '../rules/index.ts'
import type { Assets } from './assets.ts'

const ONE_E18 = 10n ** 18n
const MINUTES_PER_QUERY = 5_000
/** Marks of past full hours do not change, so those of a season are cached. */
const MAX_HOURS = 1_000
/** Seasons whose end marks are cached: one ends while the one before is reviewed. */
const MAX_ENDS = 4

/** By time, then by token; null without a mark. */
type Prices = Map<number, Map<string, bigint | null>>

export interface MarkPoint {
  token: string
  atS: number
}

/**
 * The marks that books are valued with, from the stored minutes. `read` loads them in few queries; reading a
 * mark that was not loaded is a defect.
 */
export interface MarkBook {
  /** Marks of trades at their minutes; of every asset at full hours, at one more time, at a season's end. */
  read(
    sql: Sql,
    request: {
      points?: readonly MarkPoint[]
      hours?: { fromS: number; toS: number }
      atS?: number
      endsAtS?: number
      nowS: number
    },
  ): Promise<MarketRecord>
}

export function createMarkBook(assets: Assets): MarkBook {
  /** By full hour, then by token. */
  const hours: Prices = new Map()
  /** By season's end, then by token. */
  const ends = new Map<number, Map<string, EndMark>>()
  const readable = [...assets.decimals.keys()].filter((token) => !assets.fixed.has(token))

  async function lookUp(sql: Sql, points: readonly MarkPoint[]): Promise<Prices> {
    const byTime: Prices = new Map()
    for (let from = 0; from < points.length; from += MINUTES_PER_QUERY) {
      const part = points.slice(from, from + MINUTES_PER_QUERY)
      const prices = await pricesAt(
        sql,
        part.map(({ token, atS }) => ({ token, atS, afterS: atS - RULES.markMaxAgeS })),
      )
      for (const [i, { token, atS }] of part.entries()) {
        const then = byTime.get(atS) ?? new Map<string, bigint | null>()
        if (then.size === 0) byTime.set(atS, then)
        then.set(token, prices[i] ?? null)
      }
    }
    return byTime
  }

  async function readHours(sql: Sql, { fromS, toS }: { fromS: number; toS: number }, nowS: number) {
    const every = RULES.sampleEveryS
    const missing: number[] = []
    for (let atS = Math.ceil(fromS / every) * every; atS <= toS; atS += every) {
      if (!hours.has(atS)) missing.push(atS)
    }
    const byTime = await lookUp(
      sql,
      missing.flatMap((atS) => readable.map((token) => ({ token, atS }))),
    )
    const unsure: Prices = new Map()
    for (const atS of missing) {
      const prices = new Map(readable.map((token) => [token, byTime.get(atS)?.get(token) ?? null]))
      // The minute's mark may still be written.
      if (markCertainS(atS) > nowS) unsure.set(atS, prices)
      else hours.set(atS, prices)
    }
    for (const atS of hours.keys()) {
      if (hours.size <= MAX_HOURS) break
      if (atS < fromS) hours.delete(atS)
    }
    return unsure
  }

  async function readEnd(sql: Sql, endsAtS: number, nowS: number): Promise<Map<string, EndMark>> {
    const cached = ends.get(endsAtS)
    if (cached) return cached
    const marks = await allMarks(sql, { afterS: endsAtS - DAY_S, toS: endsAtS })
    const endMarks = new Map(readable.map((token) => [token, endMarkOf(marks.get(token) ?? [], endsAtS)]))
    if (markCertainS(endsAtS) > nowS) return endMarks
    ends.set(endsAtS, endMarks)
    for (const other of ends.keys()) if (ends.size > MAX_ENDS) ends.delete(other)
    return endMarks
  }

  return {
    async read(sql, { points: wanted = [], hours: span, atS, endsAtS, nowS }) {
      const end = endsAtS === undefined ? null : await readEnd(sql, endsAtS, nowS)
      const unsure: Prices = span ? await readHours(sql, span, nowS) : new Map()
      const more = atS === undefined ? [] : readable.map((token) => ({ token, atS }))
      const single = await lookUp(
        sql,
        [...wanted, ...more].filter(({ token }) => assets.decimals.has(token) && !assets.fixed.has(token)),
      )
      return {
        assets: assets.decimals,
        native: assets.native,
        priceAt(token, time) {
          if (assets.fixed.has(token)) return ONE_E18
          const own = single.get(time)?.get(token)
          if (own !== undefined) return own
          const hour = (hours.get(time) ?? unsure.get(time))?.get(token)
          if (hour !== undefined) return hour
          throw new Error(`the mark of ${token} at ${time} was not preloaded`)
        },
        endMark(token) {
          if (assets.fixed.has(token)) return FIXED_END
          const mark = end?.get(token)
          if (mark) return mark
          throw new Error(`the end mark of ${token} was not preloaded`)
        },
      }
    },
  }
}
