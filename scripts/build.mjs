// Bundles each process into dist/. Workspace packages are inlined; npm packages stay external, because some
// read their own files (PGlite's wasm, EDR's native module, contract artifacts).
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
import { build } from 'esbuild'

const started = performance.now()
const entries = {
  start: 'scripts/start.ts',
  generate: 'scripts/generate.ts',
  signIn: 'scripts/signIn.ts',
  server: 'packages/server/src/main.ts',
  signer: 'packages/signer/src/main.ts',
  pgliteWorker: 'packages/platform/src/db/pgliteWorker.ts',
  storeWriter: 'packages/platform/test/storeWriter.ts',
  devnet: 'packages/devnet/src/main.ts',
  pit: 'packages/cli/src/pit.ts',
  pitAdmin: 'packages/cli/src/pitAdmin.ts',
  compileContracts: 'packages/devnet/src/compileEntry.ts',
}
for (const file of existsSync('bench') ? readdirSync('bench') : []) {
  if (file.endsWith('.ts') && !file.endsWith('.d.ts')) entries[`bench/${file.slice(0, -3)}`] = `bench/${file}`
}
const present = Object.fromEntries(Object.entries(entries).filter(([, file]) => existsSync(file)))

if (process.argv.includes('--clean')) rmSync('dist', { recursive: true, force: true })
const options = (entryPoints, isInlined) => ({
  entryPoints,
  outdir: 'dist',
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  sourcemap: 'linked',
  logLevel: 'warning',
  // Commander is CommonJS and requires node's own modules.
  banner: {
    js: "import { createRequire as requireHere } from 'node:module';const require = requireHere(import.meta.url);",
  },
  plugins: [
    {
      name: 'npm-packages-stay-external',
      setup(b) {
        b.onResolve({ filter: /^[^./]/ }, (args) =>
          isInlined(args.path) || args.kind === 'entry-point'
            ? undefined
            : { path: args.path, external: true },
        )
      },
    },
  ],
})
// The hoisted commander is another package's older one.
const isOurs = (name) => name.startsWith('@pit/') || name === 'commander'
/** Thousands of small files: a command that people wait for starts in a third of the time without them. */
const SMALL_FILES = /^(viem|ox|abitype|hash-wasm|@noble|@scure|@sinclair)(\/|$)/
const { pit, ...processes } = present
await Promise.all([
  build(options(processes, isOurs)),
  build(options({ pit }, (name) => isOurs(name) || SMALL_FILES.test(name))),
])
// What `npm link` and `npx` start.
for (const bin of ['dist/pit.js', 'dist/pitAdmin.js']) chmodSync(bin, 0o755)
// Server and signer read their SQL files from beside their bundles: the server's are those of every
// capability.
const capabilities = readdirSync('packages').map((name) => `packages/${name}/migrations`)
const migrations = {
  'dist/migrations': capabilities.filter((directory) => existsSync(directory)),
  'dist/signerMigrations': ['packages/signer/src/migrations'],
}
for (const [target, sources] of Object.entries(migrations)) {
  mkdirSync(target, { recursive: true })
  const files = new Map(
    sources.flatMap((source) => readdirSync(source).map((file) => [file, `${source}/${file}`])),
  )
  for (const file of readdirSync(target)) if (!files.has(file)) rmSync(`${target}/${file}`, { force: true })
  for (const [file, from] of files) {
    const to = `${target}/${file}`
    if (existsSync(to) && readFileSync(from).equals(readFileSync(to))) continue
    // Renamed into place: a process that starts beside a build must never find a file missing or half
    // written.
    const draft = `dist/.migration.${process.pid}`
    writeFileSync(draft, readFileSync(from))
    renameSync(draft, to)
  }
}
// The contracts are compiled here and cached, so that no boot waits for the compiler.
await import('../dist/compileContracts.js')
if (!process.argv.includes('--quiet')) {
  console.log(`built ${Object.keys(present).join(', ')} in ${Math.round(performance.now() - started)} ms`)
}
