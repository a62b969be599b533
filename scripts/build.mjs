// Bundles each process into dist/. Workspace packages are inlined; npm packages stay external, because some
// read their own files (PGlite's wasm, EDR's native module, contract artifacts).
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { build } from 'esbuild'

const started = performance.now()
const entries = {
  start: 'scripts/start.ts',
  generate: 'scripts/generate.ts',
  server: 'packages/server/src/main.ts',
  pgliteWorker: 'packages/server/src/platform/db/pgliteWorker.ts',
  devnet: 'packages/devnet/src/main.ts',
}
for (const file of existsSync('bench') ? readdirSync('bench') : []) {
  if (file.endsWith('.ts')) entries[`bench/${file.slice(0, -3)}`] = `bench/${file}`
}
const present = Object.fromEntries(Object.entries(entries).filter(([, file]) => existsSync(file)))

if (process.argv.includes('--clean')) rmSync('dist', { recursive: true, force: true })
await build({
  entryPoints: present,
  outdir: 'dist',
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  sourcemap: 'linked',
  logLevel: 'warning',
  plugins: [
    {
      name: 'npm-packages-stay-external',
      setup(b) {
        b.onResolve({ filter: /^[^./]/ }, (args) =>
          args.path.startsWith('@pit/') || args.kind === 'entry-point'
            ? undefined
            : { path: args.path, external: true },
        )
      },
    },
  ],
})
if (!process.argv.includes('--quiet')) {
  console.log(`built ${Object.keys(present).join(', ')} in ${Math.round(performance.now() - started)} ms`)
}
