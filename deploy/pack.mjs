// Puts together what runs in production, and nothing else: the bundles, their SQL files and pages, the profiles, the
// one native module that is not inside the bundles, the bill of materials and the licences. `node deploy/pack.mjs <folder>`, after the build.
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packagesOfBuild, writeLicences } from '../scripts/pack/licences.mjs'
import { createSbom } from '../scripts/sbom.mjs'

const [, , out] = process.argv
if (out === undefined) {
  console.error('usage: node deploy/pack.mjs <folder>')
  process.exit(1)
}

/** `pit` and `pit-admin` come along: an operator needs them where the server is. */
const PROGRAMS = ['server', 'signer', 'pit', 'pitAdmin']
const FOLDERS = ['dist/migrations', 'dist/signerMigrations', 'dist/docs', 'dist/web', 'profiles']
/** The fast curve; without it the slower wasm inside the bundles is used. */
const MODULES = ['secp256k1', 'node-gyp-build']

const copied = [
  ...PROGRAMS.flatMap((name) => [`dist/${name}.js`, `dist/${name}.js.map`]),
  ...FOLDERS,
  ...MODULES.map((name) => `node_modules/${name}`),
  'LICENSE',
]
const missing = copied.find((path) => !existsSync(path))
if (missing !== undefined) {
  console.error(`${missing} is not there: run npm ci and node scripts/build.mjs first`)
  process.exit(1)
}
for (const path of copied) cpSync(path, join(out, path), { recursive: true, dereference: true })
mkdirSync(out, { recursive: true })
const { name, version, license, type, engines } = JSON.parse(readFileSync('package.json', 'utf8'))
const manifest = { name, version, license, type, engines, private: true }
writeFileSync(join(out, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
writeLicences(out, packagesOfBuild(PROGRAMS))
writeFileSync(join(out, 'sbom.cdx.json'), createSbom())
console.log(`packed ${copied.length} files and folders into ${out}`)
