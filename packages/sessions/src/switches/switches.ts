import type { Clock } from '@pit/platform/clock'
import type { Sql } from '@pit/platform/db'
import { readSwitches, type SwitchName, type SwitchRow } from './store.ts'

/** The operator's switches, read before every tick and co-signature. An unreadable store throws. */
export interface Switches {
  /** Whether all hosted trading stands still. */
  killed(): Promise<boolean>
  /** Whether hosted agents may trade live. */
  liveEnabled(): Promise<boolean>
}

/** As they stand before anybody touched them. */
export const AT_FIRST: Record<SwitchName, boolean> = { kill: false, live: true }

/** Shared by thousands of ticks a second; a switch thrown elsewhere is seen within this. */
const KEEP_MS = 500

export const standing = (rows: readonly SwitchRow[], name: SwitchName): boolean =>
  rows.find((row) => row.name === name)?.on ?? AT_FIRST[name]

export function createSwitches({ db, clock }: { db: Sql; clock: Clock }): Switches {
  let kept: { rows: SwitchRow[]; atMs: number } | null = null
  let underWay: Promise<SwitchRow[]> | null = null

  async function readNow(): Promise<SwitchRow[]> {
    // The age counts from before the read: what changes while it runs is not hidden any longer than that.
    const atMs = clock.nowMs()
    const rows = await readSwitches(db)
    kept = { rows, atMs }
    return rows
  }

  async function rowsNow(): Promise<SwitchRow[]> {
    const ageMs = kept ? clock.nowMs() - kept.atMs : Number.POSITIVE_INFINITY
    // A clock set back makes the age negative: read again.
    if (kept && ageMs >= 0 && ageMs < KEEP_MS) return kept.rows
    underWay ??= readNow().finally(() => {
      underWay = null
    })
    return underWay
  }

  return {
    killed: async () => standing(await rowsNow(), 'kill'),
    liveEnabled: async () => standing(await rowsNow(), 'live'),
  }
}
