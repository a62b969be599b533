import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { type Migration, migrate, storeMigrations } from '../src/db/migrate.ts'
import { openDb } from '../src/db/openDb.ts'
import type { Db } from '../src/db/types.ts'
import { newDataDirectory } from './embeddedStore.ts'
import { findPostgres, postgresAt, startPostgres } from './postgresServer.ts'

export interface StoreUnderTest {
  db: Db
  /** Opens the same store again, as a second process would; PostgreSQL only. */
  openSecond?: () => Promise<Db>
}

/** `STORES=both` runs every store test on both kinds of store, `STORES=embedded` on PGlite alone. */
const STORES = process.env['STORES']

/**
 * Runs tests on a separate store with `migrations` applied. Tests of the store itself run on PGlite and
 * PostgreSQL, all others on PostgreSQL alone, because every test that starts processes is on PGlite already.
 * `db` works once the tests run, not while they are collected.
 */
export function withDb(
  name: string,
  body: (db: Db, store: () => StoreUnderTest) => void,
  migrations: readonly Migration[] = [],
): void {
  const bin = findPostgres()
  if (bin === null || STORES === 'both' || migrations.length === 0)
    describe(`${name} on PGlite`, () => body(...opening('pglite', () => openEmbedded(migrations))))
  if (STORES === 'embedded') return
  if (bin === null) {
    describe(`${name} on PostgreSQL`, () => {
      it.skip('NOT RUN: PostgreSQL is not installed (initdb and postgres are not on PATH)')
    })
    console.warn(`${name}: PostgreSQL is not installed; tested on PGlite only`)
    return
  }
  describe(`${name} on PostgreSQL`, () => body(...opening('postgres', () => openTemporary(bin, migrations))))
}

/** Migrated database on the run's own server, used as a template. */
export const TEMPLATE = 'pit_migrated'

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
    session: (run) => store().db.session(run),
    ping: (timeoutMs) => store().db.ping(timeoutMs),
    listen: (channel, listener) => store().db.listen(channel, listener),
    close: () => store().db.close(),
  }
  return [db, store]
}

/** One embedded store for all files of a worker, emptied for each: opening one takes seconds. */
const embedded = new Map<string, Promise<{ db: Db; empty(): Promise<void> }>>()

async function openEmbedded(migrations: readonly Migration[]): Promise<Opened> {
  const key = migrations.map(({ name, sha256 }) => `${name} ${sha256}`).join()
  const opened = await embedded.get(key)
  await opened?.empty()
  if (!opened) embedded.set(key, openFirst(migrations))
  const { db } = opened ?? (await embedded.get(key)!)
  return { db, dispose: async () => {} }
}

async function openFirst(migrations: readonly Migration[]) {
  const dataDir = await newDataDirectory({ migrations })
  process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }))
  const db = await openDb({ dataDir, databaseUrl: null })
  return { db, empty: await rememberStart(db) }
}

/** Restores a store's current rows and tables. */
async function rememberStart(db: Db): Promise<() => Promise<void>> {
  const tables = async () =>
    (
      await db.query<{ name: string }>(
        "select tablename as name from pg_tables where schemaname = 'public' order by 1",
      )
    ).map(({ name }) => name)
  const first = await tables()
  const rows = new Map<string, string>()
  for (const name of first) {
    const [row] = await db.query<{ rows: unknown }>(`select json_agg(t) as rows from ${name} t`)
    if (row?.rows) rows.set(name, JSON.stringify(row.rows))
  }
  return async () => {
    const schemas = await db.query<{ name: string }>(
      `select nspname as name from pg_namespace
       where nspname !~ '^pg_' and nspname not in ('public', 'information_schema')`,
    )
    for (const { name } of schemas) await db.exec(`drop schema ${name} cascade`)
    for (const name of await tables()) if (!first.includes(name)) await db.exec(`drop table ${name} cascade`)
    if (first.length === 0) return
    // Most tables are empty, and truncating one costs more than finding that out.
    const filled = await db.query<{ name: string }>(
      first.map((name) => `select '${name}' as name where exists (select from ${name})`).join(' union all '),
    )
    const sequences = await db.query<{ name: string }>(
      "select sequencename as name from pg_sequences where schemaname = 'public' and last_value is not null",
    )
    const restarts = sequences.map(({ name }) => `alter sequence ${name} restart;`).join('\n')
    // Triggers keep some tables from losing rows.
    await db.exec(
      `set session_replication_role = replica;
       ${filled.length > 0 ? `truncate ${filled.map(({ name }) => name).join()} cascade;` : ''}
       ${restarts}
       set session_replication_role = default`,
    )
    for (const [name, json] of rows)
      await db.query(`insert into ${name} select * from json_populate_recordset(null::${name}, $1)`, [json])
  }
}

async function openTemporary(bin: string, migrations: readonly Migration[]): Promise<Opened> {
  const { databaseUrl, drop } = await newDatabase(bin, migrations)
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
      await drop()
    },
  }
}

/** On the run's own server if there is one, from its template if it has one; otherwise on a new server. */
async function newDatabase(bin: string, migrations: readonly Migration[]) {
  const shared = process.env['PIT_TEST_POSTGRES']
  if (!shared) {
    const postgres = await startPostgres(bin)
    return { databaseUrl: await postgres.createDatabase(), drop: () => postgres.dispose() }
  }
  const name = `pit_${process.pid}_${++made}`
  const isStore = migrations.length > 0 && migrations.at(-1)?.sha256 === storeMigrations().at(-1)?.sha256
  const on = postgresAt(shared)
  await on.run(`create database ${name}${isStore ? ` template ${TEMPLATE}` : ''}`)
  return { databaseUrl: on.url(name), drop: () => on.run(`drop database ${name} with (force)`) }
}
let made = 0
