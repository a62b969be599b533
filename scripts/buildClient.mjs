// Builds dist/client: @pit/client as it is published. ESM and types in two files; nothing of the workspace is
// left to resolve, and viem alone is imported.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { declarationsOf } from './clientTypes.mjs'

const ENTRY = 'packages/client/src/index.ts'
const OUT = process.argv[2] ?? 'dist/client'
const shared = { entryPoints: [ENTRY], bundle: true, format: 'esm', target: 'es2022', logLevel: 'warning' }

/** Download size in a browser, viem's part included, minified and compressed. */
export async function browserBytes() {
  const { outputFiles } = await build({ ...shared, platform: 'browser', minify: true, write: false })
  return gzipSync(outputFiles[0].contents, { level: 9 }).length
}

export async function buildClient(folder = OUT) {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  await build({
    ...shared,
    platform: 'browser',
    outfile: `${folder}/index.js`,
    external: ['viem', 'viem/*'],
  })
  writeFileSync(`${folder}/index.d.ts`, declarationsOf(ENTRY))
  const { version, license, dependencies } = JSON.parse(readFileSync('packages/client/package.json', 'utf8'))
  const published = {
    name: '@pit/client',
    version,
    description: 'Trades at Pit and signs nothing it did not verify.',
    license,
    type: 'module',
    sideEffects: false,
    exports: { '.': { types: './index.d.ts', import: './index.js' } },
    dependencies: { viem: dependencies.viem },
  }
  writeFileSync(`${folder}/package.json`, `${JSON.stringify(published, null, 2)}\n`)
}

if (process.argv[1]?.endsWith('buildClient.mjs')) {
  await buildClient()
  console.log(`built ${OUT}; ${(await browserBytes()) / 1000} kB in a browser, gzipped`)
}
