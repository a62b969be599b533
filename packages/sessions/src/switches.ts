import { createCache } from '@pit/platform/cache'
import type { Clock } from '@pit/platform/clock'
import type { Sql } from '@pit/platform/db'

export const SWITCHES = ['kill', 'live'] as const
export type SwitchName = (typeof SWITCHES)[number]

export interface SwitchRow {
  name: SwitchName
  on: boolean
  reason: string | null
  changedAtS: number
}

/** The operator's switches, read before every tick and co-signature. Throws if the store cannot be read. */
export interface Switches {
  /** Whether all hosted trading is stopped. */
  killed(): Promise<boolean>
  /** Whether hosted agents may trade live. */
  liveEnabled(): Promise<boolean>
}

/** Defaults. */
const AT_FIRST: Record<SwitchName, boolean> = { kill: false, live: true }

/** Cache lifetime; shared by thousands of ticks a second. */
const KEEP_MS = 500

export const standing = (rows: readonly SwitchRow[], name: SwitchName): boolean =>
  rows.find((row) => row.name === name)?.on ?? AT_FIRST[name]

export function createSwitches({ db, clock }: { db: Sql; clock: Clock }): Switches {
  const cache = createCache<'all', SwitchRow[]>({ max: 1, ttlMs: KEEP_MS, clock })
  const isOn = async (name: SwitchName): Promise<boolean> =>
    standing(await cache.load('all', () => readSwitches(db)), name)
  return { killed: () => isOn('kill'), liveEnabled: () => isOn('live') }
}

export const readSwitches = (sql: Sql): Promise<SwitchRow[]> =>
  sql.query('select name, is_on as "on", reason, changed_at_s as "changedAtS" from operator_switches')

/** Returns whether the switch changed. */
export async function writeSwitch(sql: Sql, row: SwitchRow): Promise<boolean> {
  const changed = await sql.query(
    `insert into operator_switches (name, is_on, reason, changed_at_s) values ($1, $2, $3, $4)
     on conflict (name) do update
       set is_on = excluded.is_on, reason = excluded.reason, changed_at_s = excluded.changed_at_s
       where operator_switches.is_on <> excluded.is_on
     returning name`,
    [row.name, row.on, row.reason, row.changedAtS],
  )
  return changed.length > 0
}
