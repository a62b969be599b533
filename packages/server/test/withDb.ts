import { withDb as withStore } from '@pit/platform/test/withDb'
import { storeMigrations } from '../src/migrateStore.ts'

/** On PGlite and on PostgreSQL, each with all the server's migrations applied. */
export const withDb = (name: string, body: Parameters<typeof withStore>[1]): void =>
  withStore(name, body, storeMigrations())
