import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Db, type Migration, migrate, readMigrations } from '@pit/platform/db'

/** Brings the server's store up to this version; answers how many migrations that took. */
export const migrateStore = (db: Db): Promise<number> => migrate(db, storeMigrations())

export const storeMigrations = (): Migration[] => readMigrations(directory())

/** How many migrations a store still needs to be of this version. */
export async function missingMigrations(db: Db): Promise<number> {
  const known = storeMigrations()
  const [row] = await db.query<{ found: string | null }>(`select to_regclass('migrations') as found`)
  if (!row?.found) return known.length
  const [applied] = await db.query<{ count: number }>('select count(*)::int4 as count from migrations')
  return Math.max(0, known.length - (applied?.count ?? 0))
}

/** Beside the bundle that runs (dist/ or dist/bench/), or the source's own. */
function directory(): string {
  const places = ['./migrations', '../migrations'].map((place) =>
    fileURLToPath(new URL(place, import.meta.url)),
  )
  const found = places.find(existsSync)
  if (!found) throw new Error(`no migrations beside this program: ${places.join(', ')}`)
  return found
}
