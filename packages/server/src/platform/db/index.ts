export {
  isStatementTimeout,
  isStoreUnavailable,
  isUniqueViolation,
  StoreUnavailableError,
} from './errors.ts'
export { migrate } from './migrate.ts'
export { openDb } from './openDb.ts'
export { StoreLockedError } from './storeLock.ts'
export type { Db, Listener, Sql, StopListening, StoreLogger } from './types.ts'
