import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { openPglite } from '../src/db/openPglite.ts'
import { CACHE_DIRECTORY } from './cacheDirectory.ts'
import { keepImage } from './postgresServer.ts'

/** An empty data folder whose embedded store is initialised already: saves the seconds of a first start. */
export async function newDataDirectory(prefix = 'pit-data-'): Promise<string> {
  const dataDir = mkdtempSync(join(tmpdir(), prefix))
  await seedStore(dataDir)
  return dataDir
}

export async function seedStore(dataDir: string): Promise<void> {
  mkdirSync(dataDir, { recursive: true })
  cpSync(await storeImage(), join(dataDir, 'store'), { recursive: true })
}

async function storeImage(): Promise<string> {
  const entry = createRequire(import.meta.url).resolve('@electric-sql/pglite')
  const { version } = JSON.parse(readFileSync(join(dirname(entry), '../package.json'), 'utf8')) as {
    version: string
  }
  const image = join(CACHE_DIRECTORY, `pglite-${version}`)
  if (existsSync(image)) return image
  const dataDir = mkdtempSync(join(tmpdir(), 'pit-image-'))
  const db = await openPglite({ dataDir })
  await db.close()
  keepImage(join(dataDir, 'store'), image)
  rmSync(dataDir, { recursive: true, force: true })
  return image
}
