// Builds a commit twice, in folders with different names, and compares every file of dist/. Prints the digest of all
// of them, which anyone can compare with that of a release. `node scripts/reproduce.mjs [commit]` (HEAD by default).
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Hash of each file below a folder, by its path. */
export function hashFiles(folder, path = '') {
  return readdirSync(join(folder, path), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const inner = path === '' ? entry.name : `${path}/${entry.name}`
      if (entry.isDirectory()) return hashFiles(folder, inner)
      // Remembers the build for the next one; not shipped.
      if (entry.name === '.stamps.json') return []
      return [
        [
          inner,
          createHash('sha256')
            .update(readFileSync(join(folder, inner)))
            .digest('hex'),
        ],
      ]
    })
}

/** One digest of all files, from lines as `sha256sum` prints them. */
export const digestOf = (files) =>
  createHash('sha256')
    .update(files.map(([path, hash]) => `${hash}  ${path}\n`).join(''))
    .digest('hex')

/** Files that differ between two builds of a commit, and the digest of the first. */
export function reproduce(commit = 'HEAD', args = ['--clean', '--quiet']) {
  const root = mkdtempSync(join(tmpdir(), 'pit-reproduce-'))
  try {
    const builds = ['first', 'a-second-folder'].map((name) => buildIn(join(root, name), commit, args))
    const [first, second] = builds.map((files) => new Map(files))
    const paths = [...new Set([...first.keys(), ...second.keys()])]
    const different = paths.filter((path) => first.get(path) !== second.get(path))
    return { files: first.size, different, digest: digestOf(builds[0]) }
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

function buildIn(folder, commit, args) {
  mkdirSync(folder, { recursive: true })
  const sources = execFileSync('git', ['archive', '--format=tar', commit], { maxBuffer: 1 << 30 })
  execFileSync('tar', ['-xf', '-', '-C', folder], { input: sources })
  // Installed packages; hard links, because they are only read.
  const modules = ['node_modules', ...readdirSync('packages').map((name) => `packages/${name}/node_modules`)]
  for (const path of modules.filter((one) => isFolder(one))) copy(path, join(folder, path))
  execFileSync(process.execPath, ['scripts/build.mjs', ...args], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return hashFiles(join(folder, 'dist'))
}

function copy(from, to) {
  try {
    execFileSync('cp', ['-al', from, to], { stdio: 'ignore' })
  } catch {
    rmSync(to, { recursive: true, force: true })
    execFileSync('cp', ['-a', from, to])
  }
}

const isFolder = (path) => {
  try {
    return readdirSync(path).length > 0
  } catch {
    return false
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { files, different, digest } = reproduce(process.argv[2])
  if (different.length > 0) {
    console.error(`${different.length} files differ between two builds:\n${different.join('\n')}`)
    process.exit(1)
  }
  console.log(`${files} files, identical in both builds: sha256 ${digest}`)
}
