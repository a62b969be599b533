// Reading the types takes ten seconds of processor time: an unchanged client is read from the cache.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { clientTypes } from './index.mjs'

const SOURCES = ['packages/client/src', 'packages/chain/src', 'packages/protocol/src', 'scripts/clientTypes']
const CACHE = '.cache/clientTypes.json'

/** { types, report, reference }; `routes` loads the route table. */
export async function cachedTypes(routes) {
  const key = keyOfSources()
  const cached = existsSync(CACHE) ? JSON.parse(readFileSync(CACHE, 'utf8')) : null
  if (cached?.key === key) return cached
  const made = { key, ...(await clientTypes(await routes())) }
  mkdirSync('.cache', { recursive: true })
  writeFileSync(`${CACHE}.${process.pid}`, JSON.stringify(made))
  renameSync(`${CACHE}.${process.pid}`, CACHE)
  return made
}

function keyOfSources() {
  const hash = createHash('sha256')
  for (const folder of SOURCES) {
    const files = readdirSync(folder, { recursive: true }).filter((file) =>
      /(?<!\.test)\.(ts|mjs)$/.test(file),
    )
    for (const file of files.sort()) hash.update(`${file}\n${readFileSync(`${folder}/${file}`)}`)
  }
  return hash.digest('hex')
}
