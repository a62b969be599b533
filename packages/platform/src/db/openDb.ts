import { openPglite } from './openPglite.ts'
import { openPostgres } from './openPostgres.ts'
import type { Db, StoreOptions } from './types.ts'

export interface OpenDbOptions extends StoreOptions {
  dataDir: string
  /** Null: the embedded store below `dataDir`. */
  databaseUrl: string | null
  /** Page cache of the embedded store; a database has its own setting. */
  bufferMb?: number
}

export function openDb({ dataDir, databaseUrl, bufferMb, ...options }: OpenDbOptions): Promise<Db> {
  return databaseUrl === null
    ? openPglite({ dataDir, ...(bufferMb !== undefined && { bufferMb }), ...options })
    : openPostgres({ databaseUrl, ...options })
}
