// Bundles each process into dist/, npm packages with it: reading their many files took more than half of a
// process's start. Bundles whose sources have not changed are left as they are.
// --start builds what `npm start` and its commands need, --test also what the tests start; neither builds bench/.
// --ahead, beside --start, returns once the devnet can start and builds the rest in the background.
// --only=server,signer builds those bundles alone, without contracts; --only=server,web with the page.
import { spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { build } from 'esbuild'
import { claimStages, endStage } from './buildStages.mjs'
import { openStamps } from './buildStamps.mjs'
import { buildWeb } from './buildWeb.mjs'
import { BANNER, PLUGINS } from './bundling.mjs'

const started = performance.now()
const entries = {
  start: 'scripts/start.ts',
  signIn: 'scripts/signIn.ts',
  server: 'packages/server/src/main.ts',
  signer: 'packages/signer/src/main.ts',
  pgliteWorker: 'packages/platform/src/db/pgliteWorker.ts',
  makeEmptyStore: 'packages/platform/src/db/makeEmptyStore.ts',
  devnet: 'packages/devnet/src/main.ts',
  pit: 'packages/cli/src/pit.ts',
  pitAdmin: 'packages/cli/src/pitAdmin.ts',
  demo: 'packages/cli/src/demo.ts',
}
const isStart = process.argv.includes('--start')
if (!isStart) {
  entries.generate = 'scripts/generate.ts'
  entries.storeWriter = 'packages/platform/test/storeWriter.ts'
}
const isTest = process.argv.includes('--test')
for (const folder of isStart || isTest ? ['examples'] : ['bench', 'examples']) {
  for (const file of existsSync(folder) ? readdirSync(folder) : []) {
    if (file.endsWith('.ts') && !file.endsWith('.d.ts'))
      entries[`${folder}/${file.slice(0, -3)}`] = `${folder}/${file}`
  }
}
/** Bundles that the devnet, which takes longest to start, and the empty store need; then those of the others. */
const FIRST = ['start', 'devnet', 'pgliteWorker', 'makeEmptyStore']
const PARTS = [...FIRST, 'server', 'signer']
const only = process.argv.find((arg) => arg.startsWith('--only='))?.slice('--only='.length)
const isWanted = (name) => only === undefined || only.split(',').includes(name)
const present = Object.fromEntries(
  Object.entries(entries).filter(([name, file]) => isWanted(name) && existsSync(file)),
)

if (process.argv.includes('--clean')) rmSync('dist', { recursive: true, force: true })
const options = {
  outdir: 'dist',
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  sourcemap: 'linked',
  logLevel: 'warning',
  banner: BANNER,
  plugins: PLUGINS,
}
// Contracts are committed as compiled. If one was changed the compiler takes longest, so it starts first, in a
// separate process; `npm start` continues meanwhile: it creates the stores, and the devnet waits for the contracts.
const stamps = openStamps()
const isBackground = process.argv.includes('--background')
if (only === undefined && !isBackground)
  await bundle({ compileContracts: 'packages/devnet/src/compileEntry.ts' })
const contracts = only === undefined && !isBackground && runNode(['dist/compileContracts.js'])
if (process.argv.includes('--ahead') && Object.keys(stamps.stale(without(FIRST))).length > 0) {
  await bundle(pick(FIRST))
  const rest = spawn(process.execPath, ['scripts/build.mjs', '--quiet', '--start', '--background'], {
    stdio: 'inherit',
  })
  claimStages(rest.pid)
  process.exit(0)
}
const web = isWanted('web') && buildWeb()
const early = isBackground && startEmptyStore()
const bundled = await bundle(isBackground ? pick(PARTS) : present)
const emptyStore = early || (isStart && startEmptyStore())
// Server and signer read their SQL files from beside their bundles, `pit mcp` its pages: the server's are those
// of every capability.
const capabilities = readdirSync('packages').map((name) => `packages/${name}/migrations`)
const copied = {
  'dist/migrations': capabilities.filter((directory) => existsSync(directory)),
  'dist/signerMigrations': ['packages/signer/src/migrations'],
  'dist/docs': ['docs'],
}
// The guide's script, inlined into its pages.
const guideEntry = 'packages/web/src/guide/main.ts'
const guide = await build({
  entryPoints: [guideEntry],
  bundle: true,
  minify: true,
  format: 'iife',
  target: 'es2022',
  write: false,
  metafile: true,
})
stamps.record({ guide: guideEntry }, guide.metafile)
for (const [target, sources] of Object.entries(copied)) {
  mkdirSync(target, { recursive: true })
  const files = new Map(
    sources.flatMap((source) =>
      readdirSync(source, { recursive: true })
        .filter((file) => /\.(sql|md)$/.test(file))
        .map((file) => [file, readFileSync(`${source}/${file}`)]),
    ),
  )
  if (target === 'dist/docs') {
    files.set('changelog.md', readFileSync('CHANGELOG.md'))
    files.set('guide.js', Buffer.from(guide.outputFiles[0].contents))
  }
  for (const file of readdirSync(target, { recursive: true }))
    if (/\.\w+$/.test(file) && !files.has(file)) rmSync(`${target}/${file}`, { force: true })
  for (const [file, content] of files) {
    const to = `${target}/${file}`
    if (existsSync(to) && content.equals(readFileSync(to))) continue
    // Renamed into place: a process that starts beside a build must never find a file missing or half
    // written.
    const draft = `dist/.copied.${process.pid}`
    writeFileSync(draft, content)
    mkdirSync(dirname(to), { recursive: true })
    renameSync(draft, to)
  }
}
await web
if (emptyStore) await emptyStore.ended
if (isBackground) {
  endStage('parts')
  bundled.push(...(await bundle(without(PARTS))))
}
makeExecutable()
if (isBackground) endStage('commands')
if (isStart && contracts) contracts.child.unref()
else if (contracts) await contracts.ended
if (!process.argv.includes('--quiet')) {
  const names = bundled.length === 0 ? 'nothing: no source has changed' : bundled.join(', ')
  console.log(`built ${names} in ${Math.round(performance.now() - started)} ms`)
}

/** Names of the bundles that were made. */
async function bundle(entries) {
  const stale = stamps.stale(entries)
  if (Object.keys(stale).length === 0) return []
  stamps.drop(stale)
  const { metafile } = await build({ ...options, entryPoints: stale, metafile: true })
  for (const name of Object.keys(stale)) writeCommentsInAscii(`dist/${name}.js`)
  stamps.record(stale, metafile)
  return Object.keys(stale)
}

/** Node keeps a program's text in memory, with two bytes a character if one of them is not ASCII. */
function writeCommentsInAscii(file) {
  const text = readFileSync(file, 'utf8')
  if (!/[\u0080-\uffff]/.test(text)) return
  const lines = text.replace(/^\s*(\/\/|\/?\*).*$/gm, (line) => line.replace(/[\u0080-\uffff]/g, '?'))
  writeFileSync(file, lines)
}

function pick(names) {
  return Object.fromEntries(Object.entries(present).filter(([name]) => names.includes(name)))
}

function without(names) {
  return Object.fromEntries(Object.entries(present).filter(([name]) => !names.includes(name)))
}

/** Only baseline code: a store is made once, and optimizing that would take a third of its time again. */
function startEmptyStore() {
  return runNode(['--liftoff-only', 'dist/makeEmptyStore.js'])
}

/** The files that `npm link` and `npx` run. */
function makeExecutable() {
  for (const bin of ['pit', 'pitAdmin']) if (present[bin]) chmodSync(`dist/${bin}.js`, 0o755)
}

/** Node in a separate process. Its failure rejects the promise; the process itself prints the reason. */
function runNode(args) {
  const child = spawn(process.execPath, args, { stdio: 'inherit' })
  const ended = new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`${args.join(' ')} failed`))))
  })
  ended.catch(() => {})
  return { child, ended }
}
