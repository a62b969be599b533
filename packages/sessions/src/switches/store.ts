import type { Sql } from '@pit/platform/db'

export const SWITCHES = ['kill', 'live'] as const
export type SwitchName = (typeof SWITCHES)[number]

export interface SwitchRow {
  name: SwitchName
  on: boolean
  reason: string | null
  changedAtS: number
}

export async function readSwitches(sql: Sql): Promise<SwitchRow[]> {
  const rows = await sql.query<{
    name: SwitchName
    is_on: boolean
    reason: string | null
    changed_at_s: number
  }>('select name, is_on, reason, changed_at_s from operator_switches')
  return rows.map((row) => ({
    name: row.name,
    on: row.is_on,
    reason: row.reason,
    changedAtS: row.changed_at_s,
  }))
}

/** Answers whether that changed anything. */
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
