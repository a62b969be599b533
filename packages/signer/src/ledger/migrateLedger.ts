import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Db, migrate, readMigrations } from '@pit/platform/db'

/** Brings the signer's store up to this version; answers how many migrations that took. */
export const migrateLedger = (db: Db): Promise<number> => migrate(db, readMigrations(directory()))

/** Beside the bundle that runs (dist/ or dist/bench/), or the source's own. */
function directory(): string {
  const places = ['./signerMigrations', '../signerMigrations', '../migrations'].map((place) =>
    fileURLToPath(new URL(place, import.meta.url)),
  )
  const found = places.find(existsSync)
  if (!found) throw new Error(`no migrations beside this program: ${places.join(', ')}`)
  return found
}
