import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Migration, migrate } from '../src/db/migrate.ts'
import { openPglite } from '../src/db/openPglite.ts'
import { CACHE_DIRECTORY } from './cacheDirectory.ts'
import { keepImage } from './postgresServer.ts'

/** A data folder with an initialised and migrated embedded store: saves the seconds of a first start. */
export async function newDataDirectory({
  prefix = 'pit-data-',
  migrations = [],
}: {
  prefix?: string
  migrations?: readonly Migration[]
} = {}): Promise<string> {
  const dataDir = mkdtempSync(join(tmpdir(), prefix))
  await seedStore(dataDir, migrations)
  return dataDir
}

export async function seedStore(dataDir: string, migrations: readonly Migration[] = []): Promise<void> {
  mkdirSync(dataDir, { recursive: true })
  cpSync(await storeImage(migrations), join(dataDir, 'store'), { recursive: true })
}

async function storeImage(migrations: readonly Migration[]): Promise<string> {
  const entry = createRequire(import.meta.url).resolve('@electric-sql/pglite')
  const { version } = JSON.parse(readFileSync(join(dirname(entry), '../package.json'), 'utf8')) as {
    version: string
  }
  const image = join(CACHE_DIRECTORY, `pglite-${version}${digestOf(migrations)}`)
  if (existsSync(image)) return image
  const dataDir = mkdtempSync(join(tmpdir(), 'pit-image-'))
  const db = await openPglite({ dataDir })
  if (migrations.length > 0) await migrate(db, migrations)
  await db.close()
  keepImage(join(dataDir, 'store'), image)
  rmSync(dataDir, { recursive: true, force: true })
  return image
}

function digestOf(migrations: readonly Migration[]): string {
  if (migrations.length === 0) return ''
  const hash = createHash('sha256')
  for (const { name, sha256 } of migrations) hash.update(`${name} ${sha256}\n`)
  return `-${hash.digest('hex').slice(0, 16)}`
}
