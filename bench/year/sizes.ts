import type { Db } from '@pit/platform/db'
import { seconds } from './fill.ts'

/** Bytes of each table with its indexes, the largest first. */
export async function printSizes(db: Db): Promise<void> {
  const rows = await db.query<{ name: string; rows: number; heap: number; indexes: number }>(
    `select relname as name, n_live_tup as rows, pg_table_size(relid) as heap, pg_indexes_size(relid) as indexes
     from pg_stat_user_tables where schemaname = 'public' order by pg_total_relation_size(relid) desc limit 24`,
  )
  const [whole] = await db.query<{ bytes: number }>('select pg_database_size(current_database()) as bytes')
  console.log(`the whole store: ${gigabytes(whole!.bytes)} GB`)
  console.log('| table | rows | GB | bytes a row | of which indexes |')
  console.log('|---|---|---|---|---|')
  for (const { name, rows: count, heap, indexes } of rows) {
    if (count === 0) continue
    const bytes = heap + indexes
    console.log(
      `| ${name} | ${count} | ${gigabytes(bytes)} | ${Math.round(bytes / count)} | ${Math.round(indexes / count)} |`,
    )
  }
}

/** How long a whole vacuum takes. */
export async function timeVacuum(db: Db): Promise<void> {
  const startedMs = performance.now()
  await db.exec('vacuum (analyze)')
  console.log(`vacuum (analyze) of the whole store: ${seconds(startedMs)} s`)
}

/** Indexes that no statement of the run used. */
export async function printUnused(db: Db): Promise<void> {
  const rows = await db.query<{ name: string; bytes: number }>(
    `select indexrelname as name, pg_relation_size(indexrelid) as bytes from pg_stat_user_indexes
     where idx_scan = 0 and schemaname = 'public' order by 2 desc limit 8`,
  )
  console.log(
    `largest indexes no statement of this run used: ${rows
      .map(({ name, bytes }) => `${name} ${gigabytes(bytes)} GB`)
      .join(', ')}`,
  )
}

const gigabytes = (bytes: number): string => (bytes / 1e9).toFixed(3)
