// Remembers what each bundle in dist/ was made from, so that a build makes only those whose sources changed.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { packagesOfOutputs } from './pack/licences.mjs'

/** These decide how every bundle comes out; installed packages are those of the lock file. */
const SHARED_INPUTS = [
  'package-lock.json',
  'tsconfig.json',
  'scripts/build.mjs',
  'scripts/buildStamps.mjs',
  'scripts/bundling.mjs',
  'scripts/pack/licences.mjs',
]

export function openStamps({ file = 'dist/.stamps.json', outdir = 'dist', shared = sharedInputs() } = {}) {
  const stamps = readStamps(file)
  const hashes = new Map()
  const hashOf = (path) => {
    if (!hashes.has(path)) hashes.set(path, existsSync(path) ? sha256(readFileSync(path)) : 'missing')
    return hashes.get(path)
  }
  const digest = (inputs) =>
    sha256([...shared, ...inputs].map((path) => `${path} ${hashOf(path)}\n`).join(''))

  return {
    /** Of `entries` (name to source file) those whose bundle is missing or older than a source. */
    stale(entries) {
      const isFresh = (name) =>
        existsSync(`${outdir}/${name}.js`) &&
        stamps[name] !== undefined &&
        stamps[name].digest === digest(stamps[name].inputs)
      return Object.fromEntries(Object.entries(entries).filter(([name]) => !isFresh(name)))
    },
    /** Before a build: an interrupted one must not leave a stamp for a bundle that it replaced. */
    drop(entries) {
      for (const name of Object.keys(entries)) delete stamps[name]
      writeStamps(file, stamps)
    },
    /** After a build, with esbuild's metafile; also notes the npm packages inside, for their licences. */
    record(entries, metafile) {
      for (const [name, entry] of Object.entries(entries)) {
        const inputs = reachableFrom(entry, metafile.inputs)
        const outputs = Object.values(metafile.outputs).filter(({ entryPoint }) => entryPoint === entry)
        stamps[name] = { digest: digest(inputs), inputs, packages: packagesOfOutputs(outputs) }
      }
      writeStamps(file, stamps)
    },
  }
}

/** All sources of a bundle, those without a byte in it too: a change may bring them in. */
function reachableFrom(entry, inputs) {
  const reached = new Set([entry])
  for (const file of reached)
    for (const { path, external } of inputs[file]?.imports ?? []) if (!external) reached.add(path)
  return [...reached].filter((path) => !path.includes('node_modules/') && inputs[path]).sort()
}

function sharedInputs() {
  const packages = readdirSync('packages').map((name) => `packages/${name}/package.json`)
  return [...SHARED_INPUTS, 'package.json', ...packages.filter((path) => existsSync(path))]
}

function readStamps(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return {}
  }
}

function writeStamps(file, stamps) {
  mkdirSync(dirname(file), { recursive: true })
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, JSON.stringify(stamps))
  renameSync(draft, file)
}

const sha256 = (content) => createHash('sha256').update(content).digest('hex')
