// @pit/client as it is published: one ESM file, another for reports, and one of declarations. Nothing of the workspace
// is left to resolve, and viem alone is imported.
import { writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { cachedTypes } from '../clientTypes/cached.mjs'
import { packagesOfOutputs, writeLicences } from './licences.mjs'
import { emptyPackage, writeManifest } from './manifest.mjs'

const ENTRY = 'packages/client/src/index.ts'
/** The oldest viem that the tarball test runs with is in PACK_VIEM. */
const VIEM_RANGE = '^2.38.0'
const VIEM = ['viem', 'viem/*']
const shared = {
  bundle: true,
  splitting: true,
  format: 'esm',
  target: 'es2022',
  platform: 'browser',
  logLevel: 'warning',
}

/**
 * Size of what a bundle loads first, minified and compressed: every verb but the reports. With viem's part as in a
 * browser, or without.
 */
export async function clientBytes({ withViem }) {
  const { outputFiles } = await build({
    ...shared,
    stdin: {
      contents: "export { createClient, fromViem } from './packages/client/src/index.ts'",
      resolveDir: '.',
    },
    minify: true,
    write: false,
    outdir: 'memory',
    external: withViem ? [] : VIEM,
  })
  return initialBytes(outputFiles)
}

/** The entry and the chunks that it imports statically. */
function initialBytes(outputFiles) {
  const textOf = new Map(outputFiles.map(({ path, contents }) => [basename(path), Buffer.from(contents)]))
  const loaded = new Set()
  const load = (name) => {
    if (loaded.has(name)) return
    loaded.add(name)
    const statics = textOf
      .get(name)
      .toString()
      .matchAll(/(?:^|;|\})import(?:[^"'();]*from)?\s*["']\.\/([^"']+)["']/g)
    for (const [, chunk] of statics) load(chunk)
  }
  load('stdin.js')
  return [...loaded].reduce((sum, name) => sum + gzipSync(textOf.get(name), { level: 9 }).length, 0)
}

export async function packClient(folder) {
  emptyPackage(folder, 'packages/client/npm.md')
  const { metafile } = await build({
    ...shared,
    metafile: true,
    entryPoints: [ENTRY],
    outdir: folder,
    chunkNames: 'chunk-[hash]',
    sourcemap: 'linked',
    external: VIEM,
  })
  writeLicences(folder, packagesOfOutputs(metafile.outputs))
  const { types } = await cachedTypes(loadRoutes)
  writeFileSync(`${folder}/index.d.ts`, types)
  writeManifest(folder, {
    name: '@pit/client',
    description: 'Trades at Pit and signs nothing it did not verify.',
    keywords: ['pit', 'trading', 'agents', 'viem', 'non-custodial'],
    sideEffects: false,
    exports: {
      '.': { types: './index.d.ts', default: './index.js' },
      './package.json': './package.json',
    },
    types: './index.d.ts',
    peerDependencies: { viem: VIEM_RANGE },
  })
}

/** The route table, as the server has it. */
async function loadRoutes() {
  const { outputFiles } = await build({
    ...shared,
    stdin: { contents: "export { ROUTES, schemas } from '@pit/protocol'", resolveDir: 'packages/client' },
    splitting: false,
    platform: 'node',
    write: false,
  })
  const code = Buffer.from(outputFiles[0].contents).toString('base64')
  return import(`data:text/javascript;base64,${code}`)
}
