import { type Clock, nowS } from '@pit/platform/clock'
import type { Db } from '@pit/platform/db'
import { type CapabilityJobs, sweepJob } from '@pit/platform/jobs'
import type { HistoryRange } from '@pit/protocol'
import { downsample, type Point } from './points.ts'
import { appendPoints, readPoints, type SeriesValue, thinPoints } from './store.ts'

export interface History {
  /** Adds the current value of each series, one per minute: later ones of the same minute are dropped. */
  append(values: readonly SeriesValue[]): Promise<void>
  /** At most 500 points of each series, oldest first; a series without any is absent. */
  read(series: readonly string[], range: HistoryRange, sinceS?: number): Promise<Map<string, Point[]>>
  jobs: CapabilityJobs
}

const THIN_AT_ONCE = 1_000
/** Statements per run: 100,000 series have as many chunks to thin in an hour. */
const MAX_STATEMENTS = 5

/** Values over time, thinned as they age. */
export function openHistory({ db, clock }: { db: Db; clock: Clock }): History {
  async function thin(): Promise<void> {
    for (let n = 0; n < MAX_STATEMENTS; n++) {
      if ((await thinPoints(db, nowS(clock), THIN_AT_ONCE)) < THIN_AT_ONCE) return
    }
  }
  return {
    append: (values) => appendPoints(db, values, nowS(clock)),
    async read(series, range, sinceS = 0) {
      const points = await readPoints(db, series, { range, nowS: nowS(clock), sinceS })
      return new Map([...points].map(([name, own]) => [name, downsample(own)]))
    },
    jobs: { everywhere: [], worker: [sweepJob('thin history', thin)] },
  }
}
