import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Db } from './types.ts'

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
    await inTurn(db, async (sql) => {
      const known = await sql.query<{ number: number; name: string; sha256: string }>(
        'select number, name, sha256 from migrations where number >= $1 order by number',
        [migration.number],
      )
      const [own] = known
      if (own?.number === migration.number) {
        if (own.sha256 === migration.sha256) return
        throw new MigrationError(
          `migration ${own.name} was changed after it was applied; put it back and write a new one`,
        )
      }
      if (own) throw new MigrationError(`migration ${migration.name} comes too late: ${own.name} is applied`)
      await sql.query(migration.sql)
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

/** A store that a newer version has migrated is not for this one to write to. */
async function refuseNewerStore(db: Db, migrations: readonly Migration[]): Promise<void> {
  const [newest] = await db.query<{ number: number; name: string }>(
    'select number, name from migrations order by number desc limit 1',
  )
  if (newest && newest.number > (migrations.at(-1)?.number ?? 0)) {
    throw new MigrationError(`the store has migration ${newest.name}, which this version does not know`)
  }
}

function inTurn<T>(db: Db, run: Parameters<typeof db.transaction<T>>[0]): Promise<T> {
  return db.transaction<T>(
    async (sql) => {
      await sql.query('select pg_advisory_xact_lock($1::int8)', [ADVISORY_LOCK])
      return run(sql)
    },
    { statementTimeoutMs: STATEMENT_TIMEOUT_MS },
  )
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
