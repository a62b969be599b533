// Makes an empty embedded store at build time, for a first start to copy: making one takes seconds, a copy does not.
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'

const folder = 'dist/emptyStore'
const draft = `${folder}.${process.pid}`
const { version } = JSON.parse(readFileSync('node_modules/@electric-sql/pglite/package.json', 'utf8'))
const madeWith = `${folder}.version`
const isMade = existsSync(folder) && existsSync(madeWith) && readFileSync(madeWith, 'utf8').trim() === version

if (!isMade) {
  const { PGlite } = await import('@electric-sql/pglite')
  const store = new PGlite(draft)
  await store.waitReady
  await store.close()
  // Without its version a folder counts for nothing, so a build that is cut short here is done again.
  rmSync(madeWith, { force: true })
  rmSync(folder, { recursive: true, force: true })
  renameSync(draft, folder)
  writeFileSync(madeWith, `${version}\n`)
}
