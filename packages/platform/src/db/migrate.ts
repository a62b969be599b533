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

/** Advisory lock number that no other user of the same database takes: "pit" and 1. */
const ADVISORY_LOCK = 0x70697401
const STATEMENT_TIMEOUT_MS = 600_000

const LOOK_AGAIN_MS = 100

/**
 * First line of a migration that runs without a transaction, to build indexes on large tables while others
 * read and write. Statements are separated by blank lines, and each can run again: an interrupted migration
 * is repeated by the next start.
 */
const NO_TRANSACTION = '-- no transaction\n'

/** Applies pending migrations in order, each in its own transaction; returns how many. */
export async function migrate(db: Db, migrations: readonly Migration[]): Promise<number> {
  // Two processes starting at once would both create the table: the second waits, then finds it.
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

/** A script of several statements is an implicit transaction, so they are sent one by one. */
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
    throw new MigrationError(`migration ${migration.name} is missing, but ${own.name} is already applied`)
  if (own.sha256 === migration.sha256) return true
  throw new MigrationError(
    `migration ${own.name} was changed after it was applied; restore it and add a new migration`,
  )
}

/** Refuses to write to a store that a newer version has migrated. */
async function refuseNewerStore(db: Db, migrations: readonly Migration[]): Promise<void> {
  const [newest] = await db.query<{ number: number; name: string }>(
    'select number, name from migrations order by number desc limit 1',
  )
  if (newest && newest.number > (migrations.at(-1)?.number ?? 0)) {
    throw new MigrationError(
      `the store has migration ${newest.name} of a newer version; this one ends with ${migrations.at(-1)?.name}. ` +
        'Nothing was changed. Start the newer version again, or restore the backup that was taken before the upgrade',
    )
  }
}

/**
 * Serialises all processes on the store. A waiting process polls, each time in a new transaction: waiting
 * inside one would deadlock with a concurrent index build, which waits for open transactions.
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

/** The same without a transaction; the lock belongs to the connection. */
const inTurnAlone = <T>(db: Db, run: (sql: Sql) => Promise<T>): Promise<T> =>
  db.session(async (sql) => {
    while (!(await locked(sql, 'pg_try_advisory_lock'))) await sleep(LOOK_AGAIN_MS)
    try {
      return await run(sql)
    } finally {
      // A lost connection has released its lock.
      await sql.query('select pg_advisory_unlock($1::int8)', [ADVISORY_LOCK]).catch(() => undefined)
    }
  })

async function locked(sql: Sql, by: 'pg_try_advisory_xact_lock' | 'pg_try_advisory_lock'): Promise<boolean> {
  const [row] = await sql.query<{ locked: boolean }>(`select ${by}($1::int8) as locked`, [ADVISORY_LOCK])
  return row?.locked === true
}

/** The server's store: migrations of all capabilities in one numbering. */
export const storeMigrations = (): Migration[] => readMigrations(...storeDirectories())

/** Beside the running bundle (dist/ or dist/bench/), or each package's own in the source tree. */
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
