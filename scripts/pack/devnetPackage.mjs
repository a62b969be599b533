// @pit/devnet as it is published: the whole local world of `npm start`, in one package for `pit devnet`.
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { emptyPackage, versionOf, writeManifest } from './manifest.mjs'

const PROGRAMS = ['start', 'server', 'signer', 'devnet', 'demo', 'pitAdmin', 'pgliteWorker', 'makeEmptyStore']
const FOLDERS = ['migrations', 'signerMigrations', 'docs', 'web']
const require = createRequire(import.meta.url)

/** From the build in dist/. */
export function packDevnet(folder) {
  emptyPackage(folder, 'packages/devnet/npm.md')
  for (const name of PROGRAMS) cpSync(`dist/${name}.js`, `${folder}/dist/${name}.js`)
  for (const name of FOLDERS) cpSync(`dist/${name}`, `${folder}/dist/${name}`, { recursive: true })
  cpSync('scripts/pack/devnetMain.mjs', `${folder}/dist/main.js`)
  cpSync('contracts', `${folder}/contracts`, { recursive: true })
  cpSync('data', `${folder}/data`, { recursive: true })
  for (const [name, path] of filesOfPackages()) copyFromPackage(`${folder}/dist/npm`, name, path)
  const ofDevnet = ['@metamask/delegation-abis', '@metamask/delegation-deployments', '@nomicfoundation/edr']
  writeManifest(folder, {
    name: '@pit/devnet',
    description: 'The local world of Pit: chain with the real contracts, server, signer and dashboard.',
    bin: { 'pit-devnet': 'dist/main.js' },
    exports: { '.': './dist/main.js', './package.json': './package.json' },
    files: ['dist', 'contracts', 'data'],
    dependencies: {
      ...Object.fromEntries(ofDevnet.map((name) => [name, versionOf('devnet', name)])),
      '@electric-sql/pglite': versionOf('platform', '@electric-sql/pglite'),
    },
    // Without it signatures are computed in wasm.
    optionalDependencies: {},
  })
}

/** The few files that the devnet reads of packages with 150 MB; `npmArtifacts.ts` names them. */
function filesOfPackages() {
  const source = readFileSync('packages/devnet/src/deploy/npmArtifacts.ts', 'utf8')
  const named = [
    ...source.matchAll(/read\('([\w-]+)', (?:v3\('([\w/]+)'\)|v4\('([\w/-]+)'\)|'([^']+)')/g),
  ].map(([, name, v3, v4, path]) => {
    const last = (file) => `${file}.sol/${file.split('/').at(-1)}.json`
    if (v3) return [`@uniswap/${name}`, `artifacts/contracts/${last(v3)}`]
    return [`@uniswap/${name}`, v4 ? last(v4) : path]
  })
  return [
    ...named,
    ['@uniswap/v4-periphery', 'lib/permit2/test/utils/DeployPermit2.sol'],
    ['viem', 'constants/contracts.ts'],
  ]
}

/** With the package's name, version and licence. */
function copyFromPackage(target, name, path) {
  const from = dirname(require.resolve(`${name}/package.json`))
  mkdirSync(dirname(join(target, name, path)), { recursive: true })
  for (const file of [path, 'package.json', 'LICENSE', 'LICENSE.md', 'README.md'])
    if (existsSync(join(from, file))) cpSync(join(from, file), join(target, name, file))
}
