import { openPglite } from './openPglite.ts'
import { openPostgres } from './openPostgres.ts'
import type { Db, StoreOptions } from './types.ts'

export interface OpenDbOptions extends StoreOptions {
  dataDir: string
  /** Null: the embedded store below `dataDir`. */
  databaseUrl: string | null
  /** Memory for pages that were read, of the embedded store; a database has a setting of its own. */
  bufferMb?: number
}

export function openDb({ dataDir, databaseUrl, bufferMb, ...options }: OpenDbOptions): Promise<Db> {
  return databaseUrl === null
    ? openPglite({ dataDir, ...(bufferMb !== undefined && { bufferMb }), ...options })
    : openPostgres({ databaseUrl, ...options })
}
