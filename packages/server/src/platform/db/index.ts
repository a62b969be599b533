export { migrate } from './migrate.ts'
export { openDb } from './openDb.ts'
export { StoreLockedError } from './storeLock.ts'
export type { Db, Sql } from './types.ts'
