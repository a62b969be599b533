import { storeMigrations } from '../src/db/index.ts'
import { withDb as withEmpty } from './withDb.ts'

/** Runs on a store with all the server's migrations applied. */
export const withDb = (name: string, body: Parameters<typeof withEmpty>[1]): void =>
  withEmpty(name, body, storeMigrations())
