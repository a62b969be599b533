import type { TestProject } from 'vitest/node'
import { migrate, openDb, storeMigrations } from '../packages/platform/src/db/index.ts'
import { buildBundles } from '../packages/platform/test/buildBundles.ts'
import { findPostgres, postgresAt, startPostgres } from '../packages/platform/test/postgresServer.ts'
import { TEMPLATE } from '../packages/platform/test/withDb.ts'

/**
 * One PostgreSQL for all store tests, with a migrated database to copy: starting one for each file takes
 * longer.
 */
export default async function startSharedPostgres({
  config,
}: TestProject): Promise<(() => Promise<void>) | undefined> {
  // The project's settings are for its workers; this runs beside them.
  Object.assign(process.env, config.env)
  buildBundles('pgliteWorker', 'storeWriter')
  const bin = findPostgres()
  if (bin === null) return undefined
  const postgres = await startPostgres(bin)
  const { run, url } = postgresAt(postgres.home)
  await run(`create database ${TEMPLATE}`)
  const db = await openDb({ dataDir: '', databaseUrl: url(TEMPLATE) })
  await migrate(db, storeMigrations())
  await db.close()
  process.env['PIT_TEST_POSTGRES'] = postgres.home
  return () => postgres.dispose()
}
