// Fails when prose or names gain phrases that CONTRIBUTING.md asks to avoid: more than scripts/english.json allows.
// `--all` lists every finding; `--update` lowers the allowed counts to the present ones.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const BUDGET_PATH = 'scripts/english.json'
const CHECKED = /\.(?:tsx?|mjs|md)$/
/** Recorded data, documents generated from tables (the tables are checked) and the patterns themselves. */
const SKIPPED = /^fixtures\/|^docs\/(?:.+\/)?(?:errors|configuration)\.md$|^scripts\/english\./

/** Rules for comments, string literals, JSX text and Markdown: name, pattern, what to write instead. */
const PROSE_RULES = [
  [
    'is no X',
    /(?<!\bthere\s+)\b(?:is|are|was|were)\s+no\s+(?!(?:longer|more|less|matter|doubt|one)\b|\w+er\s+than)\w+/gi,
    '"is not an X", "is not valid X"',
  ],
  [
    'What clause', // a sentence that begins with "What" and is not a question
    /(?<=^\s*|[.:;!|]\s+)What(?:ever)?\s+[a-z][^.;:?!|]*(?=[.;:!|]|$)/g,
    'a noun as the subject ("Unreadable input is rejected")',
  ],
  ['nobody', /\b(?:nobody|whoever|whosoever|somebody)\b/gi, 'the caller, the user, the process'],
  ['told', /\b(?:told|tells|telling)\b/gi, 'returns, reports, notifies, shows'],
  ['under way', /\bunder\s+way\b/gi, 'running, in flight'],
  ['beforehand', /\bbeforehand\b/gi, 'before, in advance'],
  ['of its own', /\bof\s+(?:its|their|our|his|her|your|my)\s+own\b/gi, 'its own, separate, dedicated'],
  ['that very', /\b(?:this|that|the)\s+very\s+\w+/gi, 'the same, identical'],
  ['says so', /\b(?:says?|said|saying)\s+so\b/gi, 'reports, documents (and name it)'],
]
/** Rules for names in code. */
const NAME_RULES = [
  ['Ask type', /\b[A-Z]\w*Ask\b/g, '…Request, …Params or …Input'],
  [
    'participle name',
    /\b(?:const|let|function)\s+(?:known|found|asked|told|kept|given|heard|wanted|begun|meant|taken)\b/g,
    'the noun it holds (matches, request, cachedQuote)',
  ],
]

const COMMENT = /\/\/.*(?:\n[ \t]*\/\/.*)*|\/\*[\s\S]*?\*\//.source
const STRING = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/.source
const REGEX = /(?<=[=(,:[!&|?{};]\s*)\/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\//.source
const JSX_TEXT = /(?<=[>}])[^<>{}=;()'"`/]+(?=[<{])/.source
const TOKENS = new RegExp(`${COMMENT}|${STRING}|(?<regex>${REGEX})`, 'g')
const TSX_TOKENS = new RegExp(`${TOKENS.source}|${JSX_TEXT}`, 'g')

// Parts that are not prose become spaces, so that every offset stays the same.
const blank = (text) => text.replace(/[^\n]/g, ' ')

/** Markdown without code and headings; a `|` marks where a paragraph or a list item begins. */
const markdownProse = (text) =>
  text
    .replace(/^[ \t]*```[\s\S]*?^[ \t]*```|^#.*$|`[^`\n]*`/gm, blank)
    .replace(/^([ \t]*(?:\d+)?)[-*>.](?=\s)/gm, '$1|')
    .replace(/\n(?=\n)/g, '|')

/** The prose of a token: no comment marks or quotes, no code in backticks, no values of a template. */
function tokenProse(token) {
  if (token.startsWith('/')) return token.replace(/^[ \t]*(?:\/\/+|\/?\*+\/?)|\*\/$|`[^`\n]*`/gm, blank)
  return /\S\s+\S/.test(token) ? token.replace(/^['"`]|['"`]$|\$\{[^}]*\}/g, blank) : ''
}

/** Every finding in one file. */
export function findPhrases(file, text) {
  const findings = []
  const collect = (rules, part, offset) => {
    for (const [rule, pattern, instead] of rules) {
      for (const { 0: words, index } of part.matchAll(pattern)) {
        const line = text.slice(0, offset + index).split('\n').length
        findings.push({ rule, file, line, words: words.replace(/\s+/g, ' ').slice(0, 60), instead })
      }
    }
  }
  if (file.endsWith('.md')) {
    collect(PROSE_RULES, markdownProse(text), 0)
    return findings
  }
  collect(NAME_RULES, text, 0)
  for (const token of text.matchAll(file.endsWith('.tsx') ? TSX_TOKENS : TOKENS)) {
    if (!token.groups?.regex) collect(PROSE_RULES, tokenProse(token[0]), token.index)
  }
  return findings
}

/** The count of each rule beside the allowed one. */
export function countByRule(findings, budget) {
  return [...PROSE_RULES, ...NAME_RULES].map(([rule]) => {
    return { rule, count: findings.filter((row) => row.rule === rule).length, allowed: budget[rule] ?? 0 }
  })
}

function main(options) {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { encoding: 'utf8' })
  const isChecked = (file) => CHECKED.test(file) && !SKIPPED.test(file) && existsSync(file)
  const files = listed.split('\n').filter(isChecked)
  const findings = files.flatMap((file) => findPhrases(file, readFileSync(file, 'utf8')))
  const budget = JSON.parse(readFileSync(BUDGET_PATH, 'utf8'))
  const counts = countByRule(findings, budget)
  const over = counts.filter(({ count, allowed }) => count > allowed)
  const changed = execFileSync('git', ['status', '--porcelain', '-uall'], { encoding: 'utf8' })
  // Of a rule that still has a budget only uncommitted files are listed.
  const isListed = ({ rule, file }) =>
    options.includes('--all') ||
    over.some((row) => row.rule === rule && (row.allowed === 0 || changed.includes(` ${file}\n`)))
  for (const { rule, file, line, words, instead } of findings.filter(isListed)) {
    console.error(`${file}:${line}: "${words}" (${rule}): write ${instead}`)
  }
  for (const { rule, count, allowed } of over)
    console.error(`${rule}: ${count} (allowed ${allowed}); see --all`)
  if (options.includes('--update')) {
    const lowered = Object.fromEntries(counts.map((row) => [row.rule, Math.min(row.count, row.allowed)]))
    writeFileSync(BUDGET_PATH, `${JSON.stringify(lowered, null, 2)}\n`)
  }
  process.exitCode = over.length > 0 ? 1 : 0
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main(process.argv.slice(2))
