import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { type Migration, migrate } from '../src/db/migrate.ts'
import { openDb } from '../src/db/openDb.ts'
import type { Db } from '../src/db/types.ts'
import { newDataDirectory } from './embeddedStore.ts'
import { findPostgres, startPostgres } from './postgresServer.ts'

export interface StoreUnderTest {
  db: Db
  /** Another opener of the same store, as a second process would be; PostgreSQL only. */
  openSecond?: () => Promise<Db>
}

/**
 * Runs the same tests on PGlite and on PostgreSQL, each on a store of its own with `migrations` applied. The `db`
 * handed in works once the tests run, not while they are being collected.
 */
export function withDb(
  name: string,
  body: (db: Db, store: () => StoreUnderTest) => void,
  migrations: readonly Migration[] = [],
): void {
  describe(`${name} on PGlite`, () => body(...opening('pglite', () => openEmbedded(migrations))))
  const bin = findPostgres()
  if (bin === null) {
    describe(`${name} on PostgreSQL`, () => {
      it.skip('NOT RUN: no PostgreSQL is installed here (initdb and postgres are not on PATH)')
    })
    console.warn(`${name}: no PostgreSQL is installed here; tested on PGlite only`)
    return
  }
  describe(`${name} on PostgreSQL`, () => body(...opening('postgres', () => openTemporary(bin, migrations))))
}

type Opened = StoreUnderTest & { dispose(): Promise<void> }

function opening(engine: Db['engine'], open: () => Promise<Opened>): [Db, () => StoreUnderTest] {
  let opened: Opened | undefined
  const store = (): Opened => {
    if (!opened) throw new Error('the store opens when the tests run')
    return opened
  }
  beforeAll(async () => {
    opened = await open()
  })
  afterAll(() => opened?.dispose())
  const db: Db = {
    engine,
    query: (text, values) => store().db.query(text, values),
    transaction: (run, options) => store().db.transaction(run, options),
    exec: (script) => store().db.exec(script),
    ping: (timeoutMs) => store().db.ping(timeoutMs),
    listen: (channel, listener) => store().db.listen(channel, listener),
    close: () => store().db.close(),
  }
  return [db, store]
}

async function openEmbedded(migrations: readonly Migration[]): Promise<Opened> {
  const dataDir = await newDataDirectory({ migrations })
  const db = await openDb({ dataDir, databaseUrl: null })
  return {
    db,
    async dispose() {
      await db.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

async function openTemporary(bin: string, migrations: readonly Migration[]): Promise<Opened> {
  const postgres = await startPostgres(bin)
  const databaseUrl = await postgres.createDatabase()
  const opened: Db[] = []
  const open = async () => {
    const db = await openDb({ dataDir: '', databaseUrl })
    opened.push(db)
    return db
  }
  const db = await open()
  if (migrations.length > 0) await migrate(db, migrations)
  return {
    db,
    openSecond: open,
    async dispose() {
      await Promise.all(opened.map((db) => db.close()))
      await postgres.dispose()
    },
  }
}
