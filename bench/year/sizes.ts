import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '@pit/platform/db'
import { seconds } from './fill.ts'

/** Bytes of each table with its indexes, the largest first. */
export async function printSizes(db: Db): Promise<void> {
  const rows = await db.query<{ name: string; rows: number; heap: number; indexes: number }>(
    `select relname as name, n_live_tup as rows, pg_table_size(relid) as heap, pg_indexes_size(relid) as
      indexes
     from pg_stat_user_tables where schemaname = 'public' order by pg_total_relation_size(relid) desc limit
       24`,
  )
  const [whole] = await db.query<{ bytes: number }>('select pg_database_size(current_database()) as bytes')
  console.log(`the whole store: ${gigabytes(whole!.bytes)} GB`)
  console.log('| table | rows | GB | bytes a row | of which indexes |')
  console.log('|---|---|---|---|---|')
  for (const { name, rows: count, heap, indexes } of rows) {
    if (count === 0) continue
    const bytes = heap + indexes
    console.log(
      `| ${name} | ${count} | ${gigabytes(bytes)} | ${Math.round(bytes / count)} | ${Math.round(
        indexes / count,
      )} |`,
    )
  }
}

/** How long a whole vacuum takes. */
export async function timeVacuum(db: Db): Promise<void> {
  const startedMs = performance.now()
  await db.exec('vacuum (analyze)')
  console.log(`vacuum (analyze) of the whole store: ${seconds(startedMs)} s`)
}

const gigabytes = (bytes: number): string => (bytes / 1e9).toFixed(3)

export const forgetScans = (db: Db): Promise<unknown> => db.query('select pg_stat_reset()')

const MANY_ROWS = 20_000

/** Tables with full scans since the last reset, and how often. */
export async function printScans(db: Db, by: string): Promise<void> {
  // A backend reports its statistics within a second.
  await sleep(1_500)
  const rows = await db.query<{ name: string; scans: number; read: number }>(
    `select relname as name, seq_scan as scans, seq_tup_read as read from pg_stat_user_tables
     where seq_tup_read > $1 order by seq_tup_read desc`,
    [MANY_ROWS],
  )
  const lines = rows.map(({ name, scans, read }) => `${name} ${scans} times, ${read} rows in all`)
  console.log(`scanned by ${by}: ${lines.join('; ') || 'no table of any size'}`)
}
