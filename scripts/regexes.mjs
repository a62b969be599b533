// Fails on regular expressions in packages that can take more than linear time: their texts come from headers, bodies,
// tokens, vendors, nodes, models and servers. 1,000 spaces in a header must not cost a million steps.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { parseSync } from 'oxc-parser'
import { findBacktracking } from './regexes/findBacktracking.mjs'

const CHECKED = /^packages\/[^/]+\/src\/.+\.tsx?$/
const TESTS = /\.test\.tsx?$/

/** Every super-linear pattern of a file: literals, `new RegExp` and the `pattern` of schemas. */
export function findSlowPatterns(file, text) {
  const findings = []
  const check = (node, pattern, flags) => {
    const why = pattern === null ? 'not a literal, so it cannot be checked' : findBacktracking(pattern, flags)
    if (why !== null)
      findings.push({ file, line: text.slice(0, node.start).split('\n').length, pattern, why })
  }
  visit(parseSync(file, text).program, (node) => {
    if (node.type === 'Literal' && node.regex) check(node, node.regex.pattern, node.regex.flags)
    if (node.type === 'NewExpression' && node.callee.name === 'RegExp')
      check(node, textOf(node.arguments[0]), node.arguments[1]?.value ?? '')
    if (node.type === 'Property' && node.key.name === 'pattern' && typeof node.value.value === 'string')
      check(node, node.value.value, '')
  })
  return findings
}

function visit(node, look) {
  if (Array.isArray(node)) for (const item of node) visit(item, look)
  else if (typeof node === 'object' && node !== null) {
    if (node.type) look(node)
    for (const inner of Object.values(node)) visit(inner, look)
  }
}

/** The text of a literal, a template or a joined list; one letter stands for each name in it. */
function textOf(node) {
  if (typeof node?.value === 'string') return node.value
  if (node?.type === 'TemplateLiteral') return node.quasis.map(({ value }) => value.cooked).join('x')
  if (node?.type === 'MemberExpression' || node?.type === 'Identifier') return 'x'
  const list = node?.type === 'CallExpression' && node.callee.property?.name === 'join' && node.callee.object
  if (list?.type !== 'ArrayExpression') return null
  const parts = list.elements.map(textOf)
  return parts.includes(null) ? null : parts.join(textOf(node.arguments[0]) ?? ',')
}

function main() {
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'packages'], {
    encoding: 'utf8',
  })
  const checked = files.split('\n').filter((file) => CHECKED.test(file) && !TESTS.test(file))
  const findings = checked.flatMap((file) => findSlowPatterns(file, readFileSync(file, 'utf8')))
  for (const { file, line, pattern, why } of findings) console.error(`${file}:${line}: /${pattern}/: ${why}`)
  if (findings.length > 0) {
    console.error('Split at single characters, exclude the delimiter from the class, or bound the count.')
    process.exitCode = 1
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main()
