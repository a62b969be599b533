export { isStoreUnavailable, mayRunAgain } from './errors.ts'
export { type Migration, MigrationError, migrate, readMigrations, storeMigrations } from './migrate.ts'
export { openDb } from './openDb.ts'
export type { Db, Listener, Sql } from './types.ts'
