import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { openDb } from '../src/db/openDb.ts'
import type { Db } from '../src/db/types.ts'
import { newDataDirectory } from './embeddedStore.ts'
import { findPostgres, type PostgresServer, startPostgres } from './postgresServer.ts'

export interface StoreUnderTest {
  db: Db
  /** Another opener of the same store, as a second process would be; PostgreSQL only. */
  openSecond?: () => Promise<Db>
  postgres?: PostgresServer
}

/**
 * Runs the same tests on PGlite and on PostgreSQL, each on a store of its own brought up by `migrate`. The `db`
 * handed in works once the tests run, not while they are being collected.
 */
export function withDb(
  name: string,
  body: (db: Db, store: () => StoreUnderTest) => void,
  migrate: (db: Db) => Promise<unknown> = async () => {},
): void {
  const underTest = (engine: Db['engine'], open: () => Promise<Opened>) => opening(engine, open, migrate)
  describe(`${name} on PGlite`, () => body(...underTest('pglite', openEmbedded)))
  const bin = findPostgres()
  if (bin === null) {
    describe(`${name} on PostgreSQL`, () => {
      it.skip('NOT RUN: no PostgreSQL is installed here (initdb and postgres are not on PATH)')
    })
    console.warn(`${name}: no PostgreSQL is installed here; tested on PGlite only`)
    return
  }
  describe(`${name} on PostgreSQL`, () => body(...underTest('postgres', () => openTemporary(bin))))
}

type Opened = StoreUnderTest & { dispose(): Promise<void> }

function opening(
  engine: Db['engine'],
  open: () => Promise<Opened>,
  migrate: (db: Db) => Promise<unknown>,
): [Db, () => StoreUnderTest] {
  let opened: Opened | undefined
  const store = (): Opened => {
    if (!opened) throw new Error('the store opens when the tests run')
    return opened
  }
  beforeAll(async () => {
    opened = await open()
    await migrate(opened.db)
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

async function openEmbedded(): Promise<Opened> {
  const dataDir = await newDataDirectory()
  const db = await openDb({ dataDir, databaseUrl: null })
  return {
    db,
    async dispose() {
      await db.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

async function openTemporary(bin: string): Promise<Opened> {
  const postgres = await startPostgres(bin)
  const databaseUrl = await postgres.createDatabase()
  const opened: Db[] = []
  const open = async () => {
    const db = await openDb({ dataDir: '', databaseUrl })
    opened.push(db)
    return db
  }
  return {
    db: await open(),
    openSecond: open,
    postgres,
    async dispose() {
      await Promise.all(opened.map((db) => db.close()))
      await postgres.dispose()
    },
  }
}
