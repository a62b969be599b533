import type { Db, StoreLogger } from './types.ts'

/** A table with more dead rows than this, and more dead than live ones in five, is vacuumed. */
const DEAD_ROWS = 1_000
/** Past this much log, a start after a crash would take seconds to read it. */
const LOG_BYTES = 8 * 1024 * 1024

/**
 * What PostgreSQL's background processes do and PGlite, a single process, does not: checkpoints, or the log grows
 * without end, and vacuums, or dead rows do.
 */
export function tendPglite(
  db: Db,
  { everyMs, logger }: { everyMs: number; logger?: StoreLogger },
): () => void {
  let busy = false
  const timer = setInterval(async () => {
    if (busy) return
    busy = true
    try {
      await tendOnce(db)
    } catch (error) {
      logger?.warn({ error }, 'tending the embedded store failed; it is tried again')
    } finally {
      busy = false
    }
  }, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}

export async function tendOnce(db: Db): Promise<void> {
  const tables = await db.query<{ name: string }>(
    `select format('%I.%I', schemaname, relname) as name from pg_stat_user_tables
     where n_dead_tup > $1 and n_dead_tup * 5 > n_live_tup`,
    [DEAD_ROWS],
  )
  // One by one, so that requests get their turn in between.
  for (const { name } of tables) await db.query(`vacuum (analyze) ${name}`)
  const [log] = await db.query<{ bytes: number }>(
    'select (pg_current_wal_lsn() - redo_lsn)::int8 as bytes from pg_control_checkpoint()',
  )
  if (log && log.bytes > LOG_BYTES) await db.query('checkpoint')
}
