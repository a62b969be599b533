// Builds the dashboard into dist/web/<hash of its sources>, compressed, and names it in dist/web/site.json.
// If the sources have not changed since the last build, it does nothing, so that a start does not wait twice.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { packagesOf } from './pack/licences.mjs'

const OUT = 'dist/web'
const LIST = `${OUT}/site.json`
/** Sources of the page. */
const SOURCES = [
  ...['web', 'ui', 'trading-wallet', 'client', 'brains', 'protocol', 'chain', 'reports'].map(
    (name) => `packages/${name}/src`,
  ),
  'packages/league/src/rules',
  ...[
    'packages/web/index.html',
    'packages/web/wallet.html',
    'packages/web/vite.config.ts',
    'package-lock.json',
    'scripts/buildWeb.mjs',
    'scripts/pack/licences.mjs',
  ],
]

export async function buildWeb() {
  const key = hashOf(SOURCES)
  const built = existsSync(LIST) ? JSON.parse(readFileSync(LIST, 'utf8')) : null
  if (built?.folder === key && existsSync(join(OUT, key, 'index.html'))) return 'as it was'
  // Vite reads NODE_ENV here, and a test's `test` would bundle React's development build.
  process.env.NODE_ENV = 'production'
  const { build } = await import('vite')
  const folder = join(OUT, key)
  mkdirSync(OUT, { recursive: true })
  const modules = new Set()
  const collectModules = {
    name: 'collect-modules',
    generateBundle(_, bundle) {
      for (const { moduleIds = [] } of Object.values(bundle))
        for (const id of moduleIds) modules.add(relative('.', id))
    },
  }
  await build({
    root: 'packages/web',
    configFile: 'packages/web/vite.config.ts',
    logLevel: 'warn',
    plugins: [collectModules],
    worker: { plugins: () => [collectModules] },
    build: { outDir: resolve(folder), emptyOutDir: true },
  })
  const files = filesUnder(folder).map((file) => file.slice(folder.length + 1))
  for (const file of files) compress(join(folder, file))
  const { PAGES } = await readPaths()
  // Written last and in one step: a server that starts during a build finds the old one or the new one,
  // complete.
  const draft = `${OUT}/.site.${process.pid}`
  const site = {
    folder: key,
    pages: PAGES,
    files: files.filter((file) => !file.endsWith('.html')),
    // For their licences.
    packages: packagesOf([...modules]),
  }
  writeFileSync(draft, JSON.stringify(site))
  renameSync(draft, LIST)
  for (const old of readdirSync(OUT))
    if (![key, built?.folder, 'site.json'].includes(old))
      rmSync(join(OUT, old), { recursive: true, force: true })
  return 'built'
}

const filesUnder = (path) =>
  readdirSync(path, { withFileTypes: true })
    .flatMap((entry) => {
      const inner = join(path, entry.name)
      return entry.isDirectory() ? filesUnder(inner) : [inner]
    })
    .sort()

function hashOf(sources) {
  const hash = createHash('sha256')
  for (const source of sources) {
    const files = /\/src(\/|$)/.test(source) ? filesUnder(source) : [source]
    for (const file of files.filter((one) => !/\.test\.tsx?$/.test(one)))
      hash.update(`${file}\n`).update(readFileSync(file))
  }
  return hash.digest('hex').slice(0, 16)
}

function compress(file) {
  const bytes = readFileSync(file)
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }))
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
  writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params }))
}

/** The page's own list of its paths. */
async function readPaths() {
  const { build } = await import('esbuild')
  const { outputFiles } = await build({
    entryPoints: ['packages/web/src/paths.ts'],
    bundle: true,
    format: 'esm',
    write: false,
  })
  return import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`)
}

if (process.argv[1]?.endsWith('buildWeb.mjs')) console.log(await buildWeb())
