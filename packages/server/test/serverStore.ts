import { newDataDirectory } from '@pit/platform/test/embeddedStore'
import { storeMigrations } from '../src/migrateStore.ts'

/** A data folder with the server's embedded store in it, migrated. */
export const newServerDirectory = (prefix?: string): Promise<string> =>
  newDataDirectory({ ...(prefix && { prefix }), migrations: storeMigrations() })
