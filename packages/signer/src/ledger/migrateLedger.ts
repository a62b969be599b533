import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { StartRefused } from '@pit/platform/checkChain'
import { type Db, type Migration, migrate, readMigrations } from '@pit/platform/db'

/** Brings the signer's store up to this version; answers how many migrations that took. Refuses the server's store. */
export async function migrateLedger(db: Db): Promise<number> {
  const [row] = await db.query<{ found: string | null }>(
    `select coalesce(to_regclass('plans'), to_regclass('api_keys'))::text as found`,
  )
  // Whoever took the server over would write the ledger that is to hold against it.
  if (row?.found != null) {
    throw new StartRefused(
      `the signer’s store holds the server’s table ${row.found}: give SIGNER_DATABASE_URL a database of its own`,
    )
  }
  return migrate(db, ledgerMigrations())
}

export const ledgerMigrations = (): Migration[] => readMigrations(directory())

/** Beside the bundle that runs (dist/ or dist/bench/), or the source's own. */
function directory(): string {
  const places = ['./signerMigrations', '../signerMigrations', '../migrations'].map((place) =>
    fileURLToPath(new URL(place, import.meta.url)),
  )
  const found = places.find(existsSync)
  if (!found) throw new Error(`no migrations beside this program: ${places.join(', ')}`)
  return found
}
