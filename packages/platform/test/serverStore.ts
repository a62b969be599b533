import { storeMigrations } from '../src/db/index.ts'
import { newDataDirectory } from './embeddedStore.ts'

/** A data folder with the server's migrated embedded store. */
export const newServerDirectory = (prefix?: string): Promise<string> =>
  newDataDirectory({ ...(prefix && { prefix }), migrations: storeMigrations() })
