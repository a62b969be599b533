import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

// Build step: an empty embedded store beside the bundles, which a first start copies. Creating a store takes
// seconds, a copy does not.
const folder = join(import.meta.dirname, 'emptyStore')
const madeWith = `${folder}.version`
const entry = createRequire(import.meta.url).resolve('@electric-sql/pglite')
const { version } = JSON.parse(readFileSync(join(dirname(entry), '../package.json'), 'utf8'))
const isMade = existsSync(folder) && existsSync(madeWith) && readFileSync(madeWith, 'utf8') === version

if (!isMade) {
  const { PGlite } = await import('@electric-sql/pglite')
  const draft = `${folder}.${process.pid}`
  const store = new PGlite(draft)
  await store.waitReady
  await store.close()
  // A folder without its version file is ignored, so an interrupted build is repeated.
  rmSync(madeWith, { force: true })
  rmSync(folder, { recursive: true, force: true })
  renameSync(draft, folder)
  writeFileSync(madeWith, version)
}
