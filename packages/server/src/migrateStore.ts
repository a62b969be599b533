import { type Db, migrate, storeMigrations } from '@pit/platform/db'

/** Migrates the server's store to this version; returns how many migrations were applied. */
export const migrateStore = (db: Db): Promise<number> => migrate(db, storeMigrations())

/** How many migrations a store needs to reach this version. */
export async function missingMigrations(db: Db): Promise<number> {
  const migrations = storeMigrations()
  const [row] = await db.query<{ found: string | null }>(`select to_regclass('migrations') as found`)
  if (!row?.found) return migrations.length
  const [applied] = await db.query<{ count: number }>('select count(*)::int4 as count from migrations')
  return Math.max(0, migrations.length - (applied?.count ?? 0))
}
