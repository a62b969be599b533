// Finds the test files that a change can affect, from the imports alone: no file is run or transformed.
import { dirname, join, normalize } from 'node:path'

const IMPORT = /(?:^|\n)\s*(?:import|export)\s+(type\s+)?([^'";]*?)\s*from\s*['"]([^'"\n]+)['"]/g
const BARE_IMPORT = /(?:^|\n)\s*import\s*['"]([^'"\n]+)['"]|\bimport\(\s*['"]([^'"\n]+)['"]/g
/** A file of re-exports alone: who imports a name through it depends on that name's file, not on all of them. */
const RE_EXPORT = /export\s+(type\s+)?(\*|\{[^}]*\})\s*from\s*['"]([^'"\n]+)['"];?/g

/**
 * Of `files` (path to text), the tests that reach one of `changed` by imports of values, those with the fewest
 * imports between first. Types are left to the compiler. `exportsOf` has the `exports` of each package by its name.
 */
export function affectedTests({ files, changed, exportsOf }) {
  const graph = importGraph(files, exportsOf)
  const importers = new Map()
  for (const [file, targets] of graph)
    for (const target of targets) {
      if (!importers.has(target)) importers.set(target, [])
      importers.get(target).push(file)
    }
  const distances = new Map(changed.map((file) => [file, 0]))
  for (const [file, distance] of distances)
    for (const importer of importers.get(file) ?? [])
      if (!distances.has(importer)) distances.set(importer, distance + 1)
  const packages = new Set(changed.map(packageOf))
  const isFar = (file) => Number(!packages.has(packageOf(file)))
  return [...distances.keys()]
    .filter((file) => /\.test\.tsx?$/.test(file) && files.has(file))
    .sort(
      (a, b) => isFar(a) - isFar(b) || distances.get(a) - distances.get(b) || (a < b ? -1 : Number(a > b)),
    )
}

const packageOf = (file) => /^packages\/[^/]+/.exec(file)?.[0] ?? file.split('/')[0]

/** Typical seconds of a test file; a story's are mostly its processes. */
const typicalS = (file) =>
  file.startsWith('e2e/') ? 40 : file.endsWith('.db.test.ts') ? 5 : file.endsWith('.chain.test.ts') ? 8 : 0.5

/** Of tests in order of importance, as many as fit into `budgetS` seconds, and always those in `required`. */
export function withinBudget(tests, { budgetS, required }) {
  const run = []
  let sumS = 0
  for (const file of tests) {
    if (!required.includes(file) && sumS + typicalS(file) > budgetS) continue
    run.push(file)
    sumS += typicalS(file)
  }
  return run
}

function importGraph(files, exportsOf) {
  const barrels = new Map()
  for (const [file, text] of files) {
    const code = withoutComments(text)
    if (code.replace(RE_EXPORT, '').trim() === '' && code.trim() !== '') barrels.set(file, reExports(code))
  }
  const resolve = (from, target) => resolveImport(from, target, files, exportsOf)

  /** The files that hold these names, behind as many barrels as there are. */
  function holders(file, names, seen = new Set()) {
    const rows = barrels.get(file)
    if (!rows || names === 'all' || seen.has(file)) return [file]
    seen.add(file)
    const paths = [file]
    for (const { target, exported } of rows) {
      const inner = resolve(file, target)
      if (!inner) continue
      if (exported === 'all') {
        const deeper = holders(inner, names, seen)
        if (deeper.length > 1 || names.some((name) => declares(files.get(inner), name))) paths.push(...deeper)
      } else {
        const importedNames = exported.filter(({ as }) => names.includes(as)).map(({ name }) => name)
        if (importedNames.length > 0) paths.push(...holders(inner, importedNames, seen))
      }
    }
    return paths
  }

  const graph = new Map()
  for (const [file, text] of files) {
    // Imports through a barrel are followed name by name, from the importer.
    if (barrels.has(file)) continue
    const targets = new Set()
    for (const { target, names } of importsOf(withoutComments(text))) {
      const inner = resolve(file, target)
      if (inner) for (const holder of holders(inner, names)) targets.add(holder)
    }
    graph.set(file, targets)
  }
  return graph
}

function importsOf(code) {
  const rows = []
  for (const [, type, what, target] of code.matchAll(IMPORT)) {
    if (type) continue
    const names = namesIn(what)
    if (names === 'all' || names.length > 0) rows.push({ target, names })
  }
  for (const [, bare, dynamic] of code.matchAll(BARE_IMPORT))
    rows.push({ target: bare ?? dynamic, names: 'all' })
  return rows
}

/** Imported names without types; 'all' for a namespace or a default. */
function namesIn(what) {
  const braces = /\{([^}]*)\}/.exec(what)
  if (!braces || what.replace(braces[0], '').trim() !== '') return 'all'
  return braces[1]
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '))
    .map((name) => name.split(/\s+as\s+/)[0])
}

function reExports(code) {
  return [...code.matchAll(RE_EXPORT)]
    .filter(([, type]) => !type)
    .map(([, , what, target]) => ({
      target,
      exported:
        what === '*'
          ? 'all'
          : what
              .slice(1, -1)
              .split(',')
              .map((name) => name.trim())
              .filter((name) => name !== '' && !name.startsWith('type '))
              .map((name) => {
                const [own, as = own] = name.split(/\s+as\s+/)
                return { name: own, as }
              }),
    }))
}

const declares = (text, name) =>
  new RegExp(
    `export (?:async )?(?:const|let|function\\*?|class|enum) ${name}\\b|export \\{[^}]*\\b${name}\\b`,
  ).test(text)

function resolveImport(from, target, files, exportsOf) {
  if (target.startsWith('.')) return firstFile(normalize(join(dirname(from), target)), files)
  const [, name, rest = ''] = /^(@pit\/[^/]+)(?:\/(.*))?$/.exec(target) ?? []
  const paths = name && exportsOf[name]
  if (!paths) return undefined
  const folder = `packages/${name.slice('@pit/'.length)}`
  const key = rest === '' ? '.' : `./${rest}`
  if (paths[key]) return firstFile(join(folder, paths[key]), files)
  // The longest pattern wins, as in Node.
  const patterns = Object.keys(paths)
    .filter((pattern) => pattern.endsWith('*') && key.startsWith(pattern.slice(0, -1)))
    .sort((a, b) => b.length - a.length)
  const [pattern] = patterns
  return pattern && firstFile(join(folder, paths[pattern].replace('*', key.slice(pattern.length - 1))), files)
}

const firstFile = (path, files) =>
  [path, `${path}.ts`, `${path}.tsx`, `${path}/index.ts`].find((candidate) => files.has(candidate))

/** Also template literals' contents stay: a false import costs a test too many, never one too few. */
const withoutComments = (text) => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/[^\n]*/g, '$1')
