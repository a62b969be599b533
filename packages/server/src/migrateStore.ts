import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Db, migrate, readMigrations } from '@pit/platform/db'

/** Brings the server's store up to this version; answers how many migrations that took. */
export const migrateStore = (db: Db): Promise<number> => migrate(db, readMigrations(directory()))

/** Beside the bundle that runs (dist/ or dist/bench/), or the source's own. */
function directory(): string {
  const places = ['./migrations', '../migrations'].map((place) =>
    fileURLToPath(new URL(place, import.meta.url)),
  )
  const found = places.find(existsSync)
  if (!found) throw new Error(`no migrations beside this program: ${places.join(', ')}`)
  return found
}
