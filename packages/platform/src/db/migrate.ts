import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Db, Sql } from './types.ts'

export interface Migration {
  number: number
  name: string
  sql: string
  sha256: string
}

export class MigrationError extends Error {
  override readonly name = 'MigrationError'
}

/** Any number that no other user of the same database takes: "pit" and 1. */
const ADVISORY_LOCK = 0x70697401
const STATEMENT_TIMEOUT_MS = 600_000

const LOOK_AGAIN_MS = 100

/**
 * The first line of a migration that runs without a transaction, so that indexes of large tables are made
 * while others read and write. Its statements have a blank line between them, and each can be run again:
 * whatever ends one in the middle leaves it to the next start.
 */
const NO_TRANSACTION = '-- no transaction\n'

/** Applies what is missing, in order, each in a transaction of its own; answers how many. */
export async function migrate(db: Db, migrations: readonly Migration[]): Promise<number> {
  // Two that start at once would both find the table missing: the second waits, then finds it.
  await inTurn(db, (sql) =>
    sql.query(`create table if not exists migrations (
      number int primary key,
      name text not null,
      sha256 text not null,
      applied_at timestamptz not null default now()
    )`),
  )
  let applied = 0
  for (const migration of migrations) {
    const inItsTurn = migration.sql.startsWith(NO_TRANSACTION) ? inTurnAlone : inTurn
    await inItsTurn(db, async (sql) => {
      if (await isApplied(sql, migration)) return
      for (const statement of statementsOf(migration)) await sql.query(statement)
      await sql.query('insert into migrations (number, name, sha256) values ($1, $2, $3)', [
        migration.number,
        migration.name,
        migration.sha256,
      ])
      applied++
    })
  }
  await refuseNewerStore(db, migrations)
  return applied
}

/**
 * A script of several statements is a transaction by itself: they go one by one where there is to be none.
 */
const statementsOf = ({ sql }: Migration): string[] =>
  sql.startsWith(NO_TRANSACTION)
    ? sql
        .slice(NO_TRANSACTION.length)
        .trim()
        .split(/\n{2,}/)
    : [sql]

async function isApplied(sql: Sql, migration: Migration): Promise<boolean> {
  const [own] = await sql.query<{ number: number; name: string; sha256: string }>(
    'select number, name, sha256 from migrations where number >= $1 order by number',
    [migration.number],
  )
  if (!own) return false
  if (own.number !== migration.number)
    throw new MigrationError(`migration ${migration.name} comes too late: ${own.name} is applied`)
  if (own.sha256 === migration.sha256) return true
  throw new MigrationError(
    `migration ${own.name} was changed after it was applied; put it back and write a new one`,
  )
}

/** A store that a newer version has migrated is not for this one to write to. */
async function refuseNewerStore(db: Db, migrations: readonly Migration[]): Promise<void> {
  const [newest] = await db.query<{ number: number; name: string }>(
    'select number, name from migrations order by number desc limit 1',
  )
  if (newest && newest.number > (migrations.at(-1)?.number ?? 0)) {
    throw new MigrationError(`the store has migration ${newest.name}, which this version does not know`)
  }
}

/**
 * One at a time of all that share the store. Who waits looks again and again, each time in a new transaction:
 * one that waited inside would be waited for by an index that is being made, whose maker it waits for.
 */
async function inTurn<T>(db: Db, run: (sql: Sql) => Promise<T>): Promise<T> {
  for (;;) {
    const done = await db.transaction(
      async (sql) => ((await locked(sql, 'pg_try_advisory_xact_lock')) ? { answer: await run(sql) } : null),
      { statementTimeoutMs: STATEMENT_TIMEOUT_MS },
    )
    if (done) return done.answer
    await sleep(LOOK_AGAIN_MS)
  }
}

/** The same without a transaction; the lock is the connection's. */
const inTurnAlone = <T>(db: Db, run: (sql: Sql) => Promise<T>): Promise<T> =>
  db.session(async (sql) => {
    while (!(await locked(sql, 'pg_try_advisory_lock'))) await sleep(LOOK_AGAIN_MS)
    try {
      return await run(sql)
    } finally {
      // A connection that was lost has lost its lock too.
      await sql.query('select pg_advisory_unlock($1::int8)', [ADVISORY_LOCK]).catch(() => undefined)
    }
  })

async function locked(sql: Sql, by: 'pg_try_advisory_xact_lock' | 'pg_try_advisory_lock'): Promise<boolean> {
  const [row] = await sql.query<{ locked: boolean }>(`select ${by}($1::int8) as locked`, [ADVISORY_LOCK])
  return row?.locked === true
}

/** The server's store: the files of every capability, numbered in one order. */
export const storeMigrations = (): Migration[] => readMigrations(...storeDirectories())

/** Beside the bundle that runs (dist/ or dist/bench/), or each package's own in the source tree. */
function storeDirectories(): string[] {
  const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
  const built = [here('./migrations'), here('../migrations')].find((directory) => existsSync(directory))
  if (built) return [built]
  const packages = here('../../..')
  return readdirSync(packages)
    .map((name) => join(packages, name, 'migrations'))
    .filter((directory) => existsSync(directory))
}

export function readMigrations(...directories: string[]): Migration[] {
  const migrations = directories
    .flatMap((directory) => readdirSync(directory).map((file) => ({ directory, file })))
    .filter(({ file }) => file.endsWith('.sql'))
    .sort((a, b) => (a.file < b.file ? -1 : 1))
    .map(({ directory, file }): Migration => {
      const number = Number(/^(\d{4})_[a-z0-9_]+\.sql$/.exec(file)?.[1] ?? Number.NaN)
      if (Number.isNaN(number)) throw new MigrationError(`${file} is not named like 0001_name.sql`)
      const sql = readFileSync(join(directory, file), 'utf8')
      return { number, name: file.slice(0, -4), sql, sha256: createHash('sha256').update(sql).digest('hex') }
    })
  migrations.forEach((migration, i) => {
    if (migration.number !== i + 1) throw new MigrationError(`${migration.name} is not number ${i + 1}`)
  })
  return migrations
}
