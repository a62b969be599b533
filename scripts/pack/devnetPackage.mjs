// @pit/devnet as it is published: the whole local world of `npm start`, in one package for `pit devnet`.
import { cpSync, readFileSync } from 'node:fs'
import { FILE, packagesOfBuild, writeLicences } from './licences.mjs'
import { emptyPackage, versionOf, writeManifest } from './manifest.mjs'
import { copyThirdParty } from './thirdParty.mjs'

const PROGRAMS = ['start', 'server', 'signer', 'devnet', 'demo', 'pitAdmin', 'pgliteWorker', 'makeEmptyStore']
const FOLDERS = ['migrations', 'signerMigrations', 'docs']

/** From the build in dist/. */
export function packDevnet(folder) {
  emptyPackage(folder, 'packages/devnet/npm.md')
  for (const name of PROGRAMS) cpSync(`dist/${name}.js`, `${folder}/dist/${name}.js`)
  for (const name of FOLDERS) cpSync(`dist/${name}`, `${folder}/dist/${name}`, { recursive: true })
  // Without the dashboard of the build before, which stays for a running server.
  const site = JSON.parse(readFileSync('dist/web/site.json', 'utf8'))
  for (const part of ['site.json', site.folder])
    cpSync(`dist/web/${part}`, `${folder}/dist/web/${part}`, { recursive: true })
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
