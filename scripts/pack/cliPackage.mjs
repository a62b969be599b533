// @pit/cli as it is published: the command in one file with its pages, and no dependency to install.
import { chmodSync, cpSync } from 'node:fs'
import { build } from 'esbuild'
import { BANNER, PLUGINS } from '../bundling.mjs'
import { FILE, packagesOfOutputs, writeLicences } from './licences.mjs'
import { emptyPackage, version, writeManifest } from './manifest.mjs'

export async function packCli(folder) {
  emptyPackage(folder, 'packages/cli/npm.md')
  const { metafile } = await build({
    metafile: true,
    entryPoints: { pit: 'packages/cli/src/pit.ts' },
    outdir: `${folder}/dist`,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    // Names stay, so that a stack trace can be read.
    minifyWhitespace: true,
    minifySyntax: true,
    logLevel: 'warning',
    banner: BANNER,
    plugins: PLUGINS,
  })
  writeLicences(folder, packagesOfOutputs(metafile.outputs))
  chmodSync(`${folder}/dist/pit.js`, 0o755)
  // `pit mcp` serves them to models.
  cpSync('docs/reference', `${folder}/dist/docs/reference`, { recursive: true })
  // For coding agents that work with the package.
  cpSync('skills', `${folder}/skills`, { recursive: true })
  writeManifest(folder, {
    name: '@pit/cli',
    description: 'The pit command: trades, sessions, agents and an MCP server; verifies before it signs.',
    keywords: ['pit', 'trading', 'agents', 'mcp', 'cli'],
    bin: { pit: 'dist/pit.js' },
    files: ['dist', 'skills', FILE],
    // `pit devnet` offers to install it.
    peerDependencies: { '@pit/devnet': version },
    peerDependenciesMeta: { '@pit/devnet': { optional: true } },
  })
}
