// `npm run release`: the next version by the changes in .changeset/, its commit and tag, and dist/release/ with the
// packages, their checksums, the bill of materials and a provenance statement. Nothing is published or pushed.
// `-- --dry-run` does it in a temporary clone and leaves this one as it is; dist/release/ is copied from there.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { nextVersion, parseChange, withSection, withVersion } from './changes.mjs'
import { reproduce } from './reproduce.mjs'
import { createSbom } from './sbom.mjs'

const OUT = 'dist/release'
const CHANGES = '.changeset'
const isDryRun = process.argv.includes('--dry-run')
const started = performance.now()

const git = (...args) => execFileSync('git', args, { encoding: 'utf8' }).trim()
const run = (...command) =>
  execFileSync(command[0], command.slice(1), { stdio: ['ignore', 'ignore', 'inherit'] })
const step = (text) =>
  console.log(`${((performance.now() - started) / 1000).toFixed(1).padStart(6)} s  ${text}`)
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex')
const stop = (text) => {
  console.error(text)
  process.exit(1)
}

if (git('status', '--porcelain') !== '') stop('There are uncommitted changes: commit or stash them first.')
if (isDryRun) releaseInClone()
else await release()

function releaseInClone() {
  const root = process.cwd()
  const clone = join(mkdtempSync(join(tmpdir(), 'pit-release-')), 'pit')
  try {
    step(`cloning into ${clone}`)
    run('git', 'clone', '--quiet', root, clone)
    for (const key of ['user.name', 'user.email']) run('git', '-C', clone, 'config', key, git('config', key))
    run('cp', '-a', join(root, 'node_modules'), join(clone, 'node_modules'))
    for (const name of readdirSync('packages')) copyModules(`packages/${name}/node_modules`, clone)
    execFileSync(process.execPath, ['scripts/release.mjs'], { cwd: clone, stdio: 'inherit' })
    rmSync(OUT, { recursive: true, force: true })
    cpSync(join(clone, OUT), OUT, { recursive: true })
    console.log('Dry run: nothing here was changed but dist/release/.')
  } finally {
    rmSync(resolve(clone, '..'), { recursive: true, force: true })
  }
}

function copyModules(path, clone) {
  try {
    if (readdirSync(path).length > 0) run('cp', '-a', path, join(clone, path))
  } catch {
    // All modules of this package are in the root folder.
  }
}

async function release() {
  const files = readdirSync(CHANGES).filter((name) => name !== 'README.md')
  const manifest = JSON.parse(readFileSync('package.json', 'utf8'))
  const isUnfinished =
    git('tag', '--list', `v${manifest.version}`) === '' &&
    readFileSync('CHANGELOG.md', 'utf8').includes(`\n## ${manifest.version} (2`)
  if (files.length === 0 && !isUnfinished) stop(`There is nothing to release: ${CHANGES}/ has no changes.`)
  // Without changes, a release that ended before its tag is finished.
  const version = files.length === 0 ? manifest.version : commitVersion(manifest.version, files)
  const commit = git('rev-parse', 'HEAD')
  step(`version ${version}, commit ${commit.slice(0, 8)}`)

  step('building twice')
  const { different, digest } = reproduce(commit)
  if (different.length > 0) stop(`The build is not reproducible:\n${different.join('\n')}`)

  step('packing')
  rmSync(OUT, { recursive: true, force: true })
  mkdirSync(OUT, { recursive: true })
  run('npm', 'run', '--silent', 'build')
  run('npm', 'run', '--silent', 'pack')
  for (const name of readdirSync('dist/packages').filter((one) => one.endsWith('.tgz')))
    copyFileSync(`dist/packages/${name}`, `${OUT}/${name}`)
  writeFileSync(`${OUT}/sbom.cdx.json`, createSbom())
  const subjects = readdirSync(OUT).map((name) => ({ name, sha256: sha256(readFileSync(`${OUT}/${name}`)) }))
  const built = [...subjects, { name: 'dist', sha256: digest }]
  writeFileSync(
    `${OUT}/provenance.json`,
    `${JSON.stringify(provenance({ version, commit, built }), null, 2)}\n`,
  )
  const names = readdirSync(OUT).sort()
  const sums = names.map((name) => `${sha256(readFileSync(`${OUT}/${name}`))}  ${name}\n`).join('')
  writeFileSync(`${OUT}/SHA256SUMS`, sums)
  git('tag', '--annotate', `v${version}`, '--message', `Pit ${version}\n\n${sums}`)
  step(`tagged v${version}; ${OUT}/ has ${[...names, 'SHA256SUMS'].join(', ')}`)
}

/** Writes the next version and its section of the changelog, and commits them. */
function commitVersion(current, files) {
  const changes = files.map((file) => parseChange(file, readFileSync(`${CHANGES}/${file}`, 'utf8')))
  const version = nextVersion(current, changes)
  if (git('tag', '--list', `v${version}`) !== '') stop(`The tag v${version} exists already.`)

  const manifests = readdirSync('packages').map((name) => `packages/${name}/package.json`)
  for (const file of ['package.json', ...manifests]) {
    const next = withVersion(JSON.parse(readFileSync(file, 'utf8')), version)
    writeFileSync(file, `${JSON.stringify(next, null, 2)}\n`)
  }
  for (const file of ['python/pyproject.toml', 'python/pit_client/__init__.py']) {
    const text = readFileSync(file, 'utf8')
    writeFileSync(file, text.replace(/^((?:__)?version(?:__)? = )"[^"]+"/m, `$1"${version}"`))
  }
  const date = new Date().toISOString().slice(0, 10)
  writeFileSync('CHANGELOG.md', withSection(readFileSync('CHANGELOG.md', 'utf8'), { version, date, changes }))
  for (const file of files) rmSync(`${CHANGES}/${file}`)
  run(
    'npm',
    'install',
    '--package-lock-only',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--prefer-offline',
  )
  run('npm', 'run', '--silent', 'generate')
  git('add', '--all')
  git('commit', '--quiet', '--message', `Release ${version}`)
  return version
}

/** An in-toto statement with SLSA's predicate. It is not signed: sign the tag, which contains its checksum. */
function provenance({ version, commit, built }) {
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: built.map(({ name, sha256: digest }) => ({ name, digest: { sha256: digest } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'npm run release',
        externalParameters: { version },
        internalParameters: { node: process.version, platform: `${process.platform}-${process.arch}` },
        resolvedDependencies: [
          { name: 'source', digest: { gitCommit: commit } },
          { name: 'package-lock.json', digest: { sha256: sha256(readFileSync('package-lock.json')) } },
        ],
      },
      runDetails: { builder: { id: 'scripts/release.mjs' } },
    },
  }
}
