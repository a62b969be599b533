import { openPglite } from './openPglite.ts'
import { openPostgres } from './openPostgres.ts'
import type { Db, StoreOptions } from './types.ts'

export interface OpenDbOptions extends StoreOptions {
  dataDir: string
  /** Null: the embedded store below `dataDir`. */
  databaseUrl: string | null
}

export function openDb({ dataDir, databaseUrl, ...options }: OpenDbOptions): Promise<Db> {
  return databaseUrl === null
    ? openPglite({ dataDir, ...options })
    : openPostgres({ databaseUrl, ...options })
}
