// Common parts of the published packages.
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'

const root = JSON.parse(readFileSync('package.json', 'utf8'))

/** The one version: of the repository. */
export const { version } = root
export const engines = root.engines

/** An empty folder for a package, with its README and the licence. */
export function emptyPackage(folder, readme) {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  copyFileSync('LICENSE', `${folder}/LICENSE`)
  copyFileSync(readme, `${folder}/README.md`)
}

export function writeManifest(folder, fields) {
  const manifest = {
    license: root.license,
    ...fields,
    version,
    type: 'module',
    engines,
  }
  writeFileSync(`${folder}/package.json`, `${JSON.stringify(manifest, null, 2)}\n`)
}

/** The exact version that the workspace uses. */
export const versionOf = (owner, name) =>
  JSON.parse(readFileSync(`packages/${owner}/package.json`, 'utf8')).dependencies[name]
