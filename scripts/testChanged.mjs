// `npm run test:changed`: types, then the short tests nearest to a changed file by imports, as many as run
// in under a minute. Changed is what differs from the last commit or, when nothing does, from where this branch left
// main; an argument names another base. `--all` runs all of them but the slow files.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { affectedTests, withinBudget } from './affectedTests.mjs'
import { isQuick, isShort, QUICK_ENV } from './tiers.mjs'

const SHOWN = 8
/** Summed over test files; two run at once. */
const BUDGET_S = 25

const args = process.argv.slice(2)
const changed = changedFiles(args.find((arg) => !arg.startsWith('-')))
console.log(changed.length === 0 ? 'Nothing has changed.' : `${changed.length} changed: ${shown(changed)}`)
if (changed.length === 0) process.exit(0)

const files = new Map(
  git('ls-files', '-co', '--exclude-standard', '*.ts', '*.tsx', '*.mjs')
    .filter((file) => existsSync(file))
    .map((file) => [file, readFileSync(file, 'utf8')]),
)
const manifests = readdirSync('packages').map((name) =>
  JSON.parse(readFileSync(`packages/${name}/package.json`, 'utf8')),
)
const exportsOf = Object.fromEntries(manifests.map(({ name, exports = {} }) => [name, exports]))
const affected = [
  ...new Set([...affectedTests({ files, changed, exportsOf }), ...storeTests(changed, [...files.keys()])]),
]
const run = withinBudget(
  affected.filter((file) => isShort(file) || changed.includes(file)),
  {
    budgetS: args.includes('--all') ? Number.POSITIVE_INFINITY : BUDGET_S,
    required: changed,
  },
)
const left = affected.filter((file) => !run.includes(file))

if (changed.some((file) => /\.(ts|tsx|json)$/.test(file))) call('npm', ['run', '--silent', 'types'])
console.log(
  affected.length === 0
    ? 'No test imports what changed.'
    : `${run.length} of ${affected.length} test files that import a changed file`,
)
listLeft('npm test', left.filter(isQuick))
listLeft(
  'npm run test:all',
  left.filter((file) => !isQuick(file)),
)
if (run.length > 0) call('npx', ['vitest', 'run', ...run], QUICK_ENV)

function git(...args) {
  return execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(Boolean)
}

function changedFiles(base) {
  const since = (commit) => git('diff', '--name-only', commit)
  const untracked = git('ls-files', '--others', '--exclude-standard')
  if (base) return [...since(base), ...untracked]
  const uncommitted = [...since('HEAD'), ...untracked]
  if (uncommitted.length > 0) return uncommitted
  const { status, stdout } = spawnSync('git', ['merge-base', 'HEAD', 'main'], { encoding: 'utf8' })
  return status === 0 ? since(stdout.trim()) : []
}

/** No import leads to a migration: it affects the store tests of its package. */
function storeTests(changed, all) {
  const owners = new Set(changed.filter((file) => file.endsWith('.sql')).map((file) => file.split('/')[1]))
  return all.filter((file) => file.endsWith('.db.test.ts') && owners.has(file.split('/')[1]))
}

function listLeft(command, list) {
  if (list.length > 0) console.log(`${list.length} left to ${command}: ${shown(list)}`)
}

function shown(list) {
  const more = list.length - SHOWN
  return list.slice(0, SHOWN).join(', ') + (more > 0 ? ` and ${more} more` : '')
}

function call(command, args, env = {}) {
  const { status } = spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, ...env } })
  if (status !== 0) process.exit(status ?? 1)
}
