import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const ROWS = readFileSync('docs/evidence.md', 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| claim '))
const CODE = execFileSync('git', ['ls-files', '*.ts'], { encoding: 'utf8' }).split('\n').filter(existsSync)
const STATUSES = ['met', 'met quiet', '**missed**', 'open', 'figure']

const cellsOf = (row: string): string[] =>
  row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())
const ALL_CODE = CODE.map((file) => readFileSync(file, 'utf8')).join('\n')
const isInCode = (text: string): boolean => ALL_CODE.includes(text)

function testFiles(project: string): string[] {
  const kind = (file: string): string => {
    if (file.startsWith('e2e/')) return 'e2e'
    return /\.(db|chain)\.test\.ts$/.exec(file)?.[1] ?? 'unit'
  }
  return CODE.filter((file) => file.endsWith('.test.ts') && kind(file) === project)
}

/** The parts of a command that do not exist. */
function missingParts(command: string): string[] {
  const [words = '', name] = command.split(/ -t "?/)
  const variables = words.match(/\b[A-Z_]+(?==)/g) ?? []
  const [tool = '', ...rest] = words.replace(/\b[A-Z_]+=\S+ /g, '').split(' ')
  const missing = variables.filter((variable) => !isInCode(variable))
  if (tool === 'bench') return [...missing, ...[`bench/${rest[0]}.ts`].filter((file) => !existsSync(file))]
  if (!['unit', 'db', 'chain', 'e2e'].includes(tool)) {
    const files = words.match(/\S+\.(sh|mjs)\b|\.ci\/\w+/g) ?? []
    return [...missing, ...files.filter((file) => !existsSync(file))]
  }
  const files = testFiles(tool).filter((file) => rest.some((part) => file.includes(part)))
  const unmatched = rest.filter((part) => !files.some((file) => file.includes(part)))
  const title = name?.replace(/"$/, '')
  return [...missing, ...unmatched, ...(title === undefined || isInCode(title) ? [] : [title])]
}

it('has short rows with a known status', () => {
  expect(ROWS.length).toBeGreaterThan(100)
  for (const row of ROWS) {
    expect(row.length, row).toBeLessThanOrEqual(160)
    expect(cellsOf(row), row).toHaveLength(5)
    expect(STATUSES, row).toContain(cellsOf(row)[3])
  }
})

it('names only commands, files, variables and test names that exist', () => {
  const broken = ROWS.flatMap((row) => {
    const command = /^`(.+)`$/.exec(cellsOf(row)[4]!)?.[1]
    return command === undefined ? [] : missingParts(command).map((part) => `${part}: ${row}`)
  })
  expect(broken).toEqual([])
})
