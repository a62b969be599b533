// Fails when code violates package boundaries: which package may import which, what stays pure, who owns a
// table, who knows HTTP, and whether files import each other in a circle.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Packages of ours that each package may import; every arrow points down. e2e, bench, examples and scripts may import all. */
const MAY_IMPORT = {
  protocol: [],
  'api-docs': ['protocol'],
  chain: ['protocol'],
  plans: ['protocol', 'chain'],
  platform: ['protocol', 'chain'],
  http: ['protocol', 'platform'],
  // Calls to the signer: shared by its callers and the signer itself.
  'signer-wire': ['protocol', 'chain', 'platform'],
  doctor: ['protocol', 'chain', 'platform'],
  'agent-registry': ['protocol', 'chain', 'platform'],
  history: ['protocol', 'platform'],
  market: ['protocol', 'chain', 'plans', 'platform', 'agent-registry'],
  auth: ['protocol', 'chain', 'platform', 'agent-registry'],
  relay: ['protocol', 'chain', 'plans', 'platform', 'market'],
  accounts: ['protocol', 'chain', 'platform', 'history', 'market', 'relay'],
  trading: ['protocol', 'chain', 'plans', 'platform', 'market', 'relay', 'accounts'],
  sessions: [
    'protocol',
    'chain',
    'plans',
    'platform',
    'signer-wire',
    'market',
    'relay',
    'accounts',
    'trading',
  ],
  brains: ['protocol'],
  orders: ['protocol', 'chain'],
  reports: ['protocol'],
  models: ['protocol', 'chain', 'platform', 'relay', 'brains'],
  agents: [
    ...['protocol', 'chain', 'plans', 'platform', 'signer-wire', 'market', 'relay', 'trading', 'sessions'],
    ...['brains', 'models', 'orders', 'history'],
  ],
  league: [
    ...['protocol', 'chain', 'plans', 'platform', 'agent-registry', 'market', 'relay', 'trading', 'sessions'],
    ...['agents', 'history'],
  ],
  treasury: ['protocol', 'chain', 'platform', 'market', 'relay'],
  server: [
    ...['protocol', 'chain', 'plans', 'platform', 'signer-wire', 'market', 'relay', 'trading', 'sessions'],
    ...[
      'agent-registry',
      'accounts',
      'models',
      'agents',
      'league',
      'treasury',
      'doctor',
      'auth',
      'http',
      'api-docs',
      'history',
    ],
  ],
  // A verifier that shares the builder verifies nothing: neither of these may ship plans.
  signer: ['protocol', 'chain', 'platform', 'signer-wire'],
  client: ['protocol', 'chain', 'reports'],
  // It trades through the client only; files and locks are passed in.
  mcp: ['protocol', 'chain', 'client', 'api-docs', 'sidecar'],
  sidecar: ['protocol', 'chain', 'client'],
  // Of the server only its operator's interface: what `pit-admin` does to a running store.
  cli: [
    ...['protocol', 'chain', 'platform', 'signer-wire', 'market', 'brains', 'league', 'server', 'client'],
    ...['mcp', 'sidecar', 'doctor', 'orders', 'reports'],
  ],
  ui: ['protocol', 'client'],
  // It signs by itself: no API, and nothing of the dashboard but its components.
  'trading-wallet': ['protocol', 'client', 'ui'],
  web: [
    ...['protocol', 'chain', 'client', 'brains', 'reports', 'league/rules', 'ui', 'ui/charts'],
    'trading-wallet',
    'trading-wallet/frame',
    'api-docs/guide',
  ],
  // Of the platform only how a process starts: the devnet stands in for the node and vendors it connects to.
  devnet: ['protocol', 'chain', 'plans', 'platform/settings', 'platform/process'],
}
/** Imports that only tests may use: honest and forged calls for the verifiers, client networks for sign-in. */
const TESTS_MAY_IMPORT = { signer: ['plans'], client: ['plans'], auth: ['http'] }
/** Packages for the browser: they ship no Node code. */
const PURE = /^packages\/(protocol|api-docs|chain|plans|client|brains|orders|reports|league\/src\/rules)\//
/** Packages that speak no HTTP: verbs take and return domain values. */
const CAPABILITIES = new Set([
  ...['agent-registry', 'auth', 'market', 'relay', 'accounts', 'trading', 'sessions', 'models'],
  ...['agents', 'league', 'treasury', 'history'],
])
const HTTP_WORDS =
  /\b(Handlers?|Caller|RawAnswer|IncomingMessage|ServerResponse|requestId|Charge)\b|\b(Call|Body|Query|Params)</
/** The only files that may read process.env. */
const ENV_READERS =
  /^(packages\/[^/]+\/src\/(config|main)\.ts|scripts\/|e2e\/|bench\/|examples\/|.*\.test\.ts$|packages\/[^/]+\/test\/)/
/** Tables that one early migration made for several owners. */
const EARLY_TABLES = {
  operator_switches: 'sessions',
  operator_actions: 'server',
  ai_spend: 'models',
  ai_pool_days: 'models',
  ai_pool_agents: 'models',
  ai_keys: 'models',
  ai_trials: 'models',
}
/**
 * Migrations up to this one were written before tables had owners, and an applied migration never changes.
 */
const LAST_SHARED_MIGRATION = 14
/** Allowed uses of another owner's table. */
const FOREIGN_TABLES = {
  // A week's fees are joined with the income, a million rows each: neither side can be passed by its ids.
  'packages/treasury/src/matches.ts': ['fees'],
  // Applied before the tables of model spending had their own package.
  'packages/agents/migrations/0025_shares_and_retention.sql': ['ai_pool_days', 'ai_spend', 'ai_trials'],
  'packages/agents/migrations/0029_agent_indexes.sql': ['ai_trials'],
  'packages/agents/migrations/0042_kept_counts.sql': ['ai_pool_days', 'ai_pool_agents'],
}

const isTest = (file) => /\.test\.ts$|\/test\//.test(file)
const packageOf = (file) => /^packages\/([^/]+)\//.exec(file)?.[1]

/** Every crossing in a tree of files, given as a map of path to text. */
export function findCrossings(files) {
  const owners = tableOwners(files)
  return [...files]
    .flatMap(([file, text]) =>
      file.endsWith('.sql')
        ? foreignTables(file, text, owners)
        : [
            ...environment(file, text),
            ...imports(file, text),
            ...httpWords(file, text),
            ...(isTest(file) ? [] : foreignTables(file, text, owners)),
          ],
    )
    .concat(cycles(files))
}

function environment(file, text) {
  return /process\.env/.test(text) && !ENV_READERS.test(file)
    ? [`${file}: reads process.env; only config.ts may`]
    : []
}

const importsOf = (text) =>
  [...text.matchAll(/(?:from|import)\s*\(?\s*['"]([^'"\n]+)['"]/g)].map((match) => match[1])

function imports(file, text) {
  const own = packageOf(file)
  if (!own) return []
  const problems = []
  for (const target of importsOf(text)) {
    if (target.startsWith('node:') && PURE.test(file) && !isTest(file))
      problems.push(`${file}: runs in a browser and may not import ${target}`)
    const [, pkg, inside] = /^@pit\/([^/]+)(\/internal\/)?/.exec(target) ?? []
    const mayImport = [...(MAY_IMPORT[own] ?? []), ...((isTest(file) && TESTS_MAY_IMPORT[own]) || [])]
    if (pkg && !mayImport.includes(pkg) && !mayImport.includes(target.slice('@pit/'.length)))
      problems.push(`${file}: ${own} may not import @pit/${pkg}`)
    if (inside && !isTest(file)) problems.push(`${file}: enter @pit/${pkg} by its face, not ${target}`)
    if (target.startsWith('.') && !normalize(join(dirname(file), target)).startsWith(`packages/${own}/`))
      problems.push(`${file}: reaches out of its package to ${target}`)
  }
  return problems
}

function httpWords(file, text) {
  if (!CAPABILITIES.has(packageOf(file)) || isTest(file)) return []
  const word = HTTP_WORDS.exec(withoutComments(text))
  return word ? [`${file}: ${word[0]} is HTTP's; only http and server know requests and callers`] : []
}

function tableOwners(files) {
  const owners = new Map()
  for (const [file, text] of files) {
    if (!file.endsWith('.sql')) continue
    for (const [, table] of text.matchAll(/create (?:unlogged )?table (?:if not exists )?(\w+)/gi))
      owners.set(table, EARLY_TABLES[table] ?? packageOf(file))
  }
  return owners
}

/** Tables named in SQL that belong to another package. */
function foreignTables(file, text, owners) {
  const own = packageOf(file)
  if (!own || own === 'signer') return []
  if (file.endsWith('.sql') && Number(/(\d{4})_/.exec(file)?.[1]) <= LAST_SHARED_MIGRATION) return []
  const sql = file.endsWith('.sql') ? [text] : stringsOf(text).filter((one) => SQL.test(one))
  return [...new Set(sql.flatMap(tablesIn))]
    .filter((table) => owners.has(table) && owners.get(table) !== own)
    .filter((table) => !FOREIGN_TABLES[file]?.includes(table))
    .map((table) => `${file}: the table ${table} is ${owners.get(table)}'s; ask its face`)
}

/** A whole statement, or a part of one that begins where tables are named. */
const SQL =
  /\b(select|insert|update|delete|alter|lock|truncate|create)\b|^\s*(from|(left |inner |cross )?join)\b/i
const NAMED_ALONE = /\b(?:join|into|update|on|references)\s+(?:only\s+)?(\w+)/gi
const NOT_YET_A_NAME = String.raw`(?:(?:table|only|if|not|exists)\s+)*`
const NAME_AND_ALIAS = String.raw`\w+(?:\s+(?:as\s+)?(?!using\b)\w+)?`
const NAMED_IN_LIST = new RegExp(
  String.raw`(?<!\bdistinct\s+)\b(?:from|using|truncate|lock|table)\s+` +
    String.raw`(${NOT_YET_A_NAME}${NAME_AND_ALIAS}(?:\s*,\s*${NAME_AND_ALIAS})*)`,
  'gi',
)
const FIRST_NAME = new RegExp(String.raw`^\s*${NOT_YET_A_NAME}(\w+)`, 'i')
const NAMED_BY_WITH =
  /(?:\bwith(?:\s+recursive)?|,)\s*(\w+)(?:\s*\([^)]*\))?\s+as\s+(?:not\s+)?(?:materialized\s+)?\(/gi

/** The tables a statement names, without those it makes itself by `with`. */
function tablesIn(statement) {
  const plain = statement.replace(/--.*$/gm, '').replace(/'[^']*'/g, "''")
  const own = new Set([...plain.matchAll(NAMED_BY_WITH)].map((match) => match[1]))
  return withoutBrackets(plain)
    .flatMap((part) => [
      ...[...part.matchAll(NAMED_ALONE)].map((match) => match[1]),
      ...[...part.matchAll(NAMED_IN_LIST)].flatMap((match) =>
        match[1].split(',').map((one) => FIRST_NAME.exec(one)[1]),
      ),
    ])
    .filter((name) => !own.has(name))
}

/**
 * The content of each pair of brackets, and the text without them, so that a list continues after a bracket.
 */
function withoutBrackets(sql) {
  const parts = []
  let left = sql
  for (let inner = /\(([^()]*)\)/.exec(left); inner; inner = /\(([^()]*)\)/.exec(left)) {
    parts.push(inner[1])
    left = `${left.slice(0, inner.index)} ${left.slice(inner.index + inner[0].length)}`
  }
  return [...parts, left]
}

const withoutComments = (text) => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1')

/** Comments, strings and regular expressions of code, and what opens or closes a template. */
const CODE = new RegExp(
  [
    String.raw`\/\/.*|\/\*[\s\S]*?\*\/`,
    String.raw`'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"`,
    String.raw`(?<=(?:[(,=:[!&|?{;>\n]|\breturn)\s*)\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/`,
    '[`{}]',
  ].join('|'),
  'g',
)

/** The texts of a file's strings and templates; a text inside a template's ${} counts separately. */
function stringsOf(text) {
  const texts = []
  /** Open templates whose ${} is being read, with the brackets open there. */
  const around = []
  let at = 0
  const readTemplate = (template) => {
    const part = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*/y
    part.lastIndex = at
    template.text += part.exec(text)[0]
    at = part.lastIndex + 1
    if (text[at - 1] === '$') {
      at += 1
      template.text += '$'
      around.push(template)
    } else texts.push(template.text)
  }
  for (;;) {
    CODE.lastIndex = at
    const token = CODE.exec(text)?.[0]
    if (token === undefined) return texts
    at = CODE.lastIndex
    const template = around.at(-1)
    if (token === '`') readTemplate({ text: '', brackets: 0 })
    else if (token === '{' && template) template.brackets += 1
    else if (token === '}' && template?.brackets === 0) readTemplate(around.pop())
    else if (token === '}' && template) template.brackets -= 1
    else if (/^['"]/.test(token)) texts.push(token.slice(1, -1))
  }
}

/** Files that import each other in a circle, each circle once. */
function cycles(files) {
  const edges = new Map()
  for (const [file, text] of files) {
    if (isTest(file) || !packageOf(file)) continue
    edges.set(
      file,
      importsOf(text)
        .filter((target) => target.startsWith('.'))
        .map((target) => normalize(join(dirname(file), target)))
        .filter((target) => files.has(target)),
    )
  }
  const circles = []
  const state = new Map()
  const path = []
  const visit = (file) => {
    state.set(file, 'open')
    path.push(file)
    for (const next of edges.get(file) ?? []) {
      if (state.get(next) === 'open') circles.push([...path.slice(path.indexOf(next)), next])
      else if (!state.has(next)) visit(next)
    }
    path.pop()
    state.set(file, 'done')
  }
  for (const file of edges.keys()) if (!state.has(file)) visit(file)
  return circles.map((circle) => `${circle[0]}: imports itself by ${circle.slice(1).join(' -> ')}`)
}

function readTree() {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.ts', '*.tsx', '*.sql'], {
    encoding: 'utf8',
  })
  const files = new Map()
  for (const file of listed.split('\n').filter(Boolean)) {
    try {
      files.set(file, readFileSync(file, 'utf8'))
    } catch {
      // Deleted in the work tree and not yet in the index.
    }
  }
  return files
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const problems = findCrossings(readTree())
  if (problems.length > 0) {
    console.error(problems.join('\n'))
    process.exitCode = 1
  }
}
