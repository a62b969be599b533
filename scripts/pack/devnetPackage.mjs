// @pit/devnet as it is published: the whole local world of `npm start`, in one package for `pit devnet`.
import { cpSync } from 'node:fs'
import { FILE, packagesOfBuild, writeLicences } from './licences.mjs'
import { emptyPackage, versionOf, writeManifest } from './manifest.mjs'
import { copyThirdParty } from './thirdParty.mjs'

const PROGRAMS = ['start', 'server', 'signer', 'devnet', 'demo', 'pitAdmin', 'pgliteWorker', 'makeEmptyStore']
const FOLDERS = ['migrations', 'signerMigrations', 'docs', 'web']

/** From the build in dist/. */
export function packDevnet(folder) {
  emptyPackage(folder, 'packages/devnet/npm.md')
  for (const name of PROGRAMS) cpSync(`dist/${name}.js`, `${folder}/dist/${name}.js`)
  for (const name of FOLDERS) cpSync(`dist/${name}`, `${folder}/dist/${name}`, { recursive: true })
  cpSync('scripts/pack/devnetMain.mjs', `${folder}/dist/main.js`)
  cpSync('contracts', `${folder}/contracts`, { recursive: true })
  cpSync('data', `${folder}/data`, { recursive: true })
  copyThirdParty(folder)
  writeLicences(folder, packagesOfBuild(PROGRAMS))
  const ofDevnet = ['@metamask/delegation-abis', '@metamask/delegation-deployments', '@nomicfoundation/edr']
  writeManifest(folder, {
    name: '@pit/devnet',
    description: 'The local world of Pit: chain with the real contracts, server, signer and dashboard.',
    bin: { 'pit-devnet': 'dist/main.js' },
    exports: { '.': './dist/main.js', './package.json': './package.json' },
    license: 'SEE LICENSE IN NOTICE',
    files: ['dist', 'contracts', 'data', 'NOTICE', FILE],
    dependencies: {
      ...Object.fromEntries(ofDevnet.map((name) => [name, versionOf('devnet', name)])),
      '@electric-sql/pglite': versionOf('platform', '@electric-sql/pglite'),
    },
    // Without it signatures are computed in wasm.
    optionalDependencies: {},
  })
}
