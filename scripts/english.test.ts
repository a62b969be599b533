import { describe, expect, it } from 'vitest'
import { countByRule, findPhrases } from './english.mjs'

const rulesIn = (file: string, text: string): string[] => findPhrases(file, text).map(({ rule }) => rule)

describe('the English lint', () => {
  it.each([
    ['is no X', 'A revert is no answer.'],
    ['What clause', 'What cannot be read is refused.'],
    ['What clause', 'It ends. Whatever is left is paid out.'],
    ['nobody', 'Nobody reads it.'],
    ['told', 'The signer is told twice.'],
    ['under way', 'Trades under way are finished.'],
    ['beforehand', 'Read it beforehand.'],
    ['of its own', 'A process of its own.'],
    ['that very', 'Reads that very block.'],
    ['says so', 'The log says so.'],
  ])('finds "%s" in comments, strings, JSX text and Markdown', (rule, sentence) => {
    expect(rulesIn('a.ts', `// ${sentence}\n`)).toEqual([rule])
    expect(rulesIn('a.ts', `/**\n * ${sentence}\n */\n`)).toEqual([rule])
    expect(rulesIn('a.ts', `const text = '${sentence}'\n`)).toEqual([rule])
    expect(rulesIn('a.ts', `const text = \`${sentence} \${value}\`\n`)).toEqual([rule])
    expect(rulesIn('a.tsx', `const page = <p>${sentence}</p>\n`)).toEqual([rule])
    expect(rulesIn('a.md', `Text.\n\n- ${sentence}\n`)).toEqual([rule])
  })

  it.each([
    ['Ask type', 'export interface TradeAsk {}'],
    ['participle name', 'const found = list()'],
    ['participle name', 'function kept() {}'],
  ])('finds "%s" in code', (rule, code) => {
    expect(rulesIn('a.ts', code)).toEqual([rule])
  })

  it.each([
    'There is no route, and the wallet is no longer locked.',
    'The minimum is no lower than the quote.',
    'What does a tick cost?',
    'It depends on what the token charges.',
    'Rename `nobody` to the caller.',
    'Somehow it foretold nothing.',
  ])('accepts "%s"', (sentence) => {
    expect(rulesIn('a.ts', `// ${sentence}\n`)).toEqual([])
    expect(rulesIn('a.md', `${sentence}\n`)).toEqual([])
  })

  it('ignores names, single words, patterns and template values in code', () => {
    const code = 'const foundPools = told(nobody, "told", /told by (somebody)/, `$' + '{told} pools`)'
    expect(rulesIn('a.ts', code)).toEqual([])
  })

  it('ignores code blocks and headings in Markdown', () => {
    expect(rulesIn('a.md', '# What it does\n\n```sh\necho nobody # of its own\n```\n')).toEqual([])
  })

  it('reports the line, also of a phrase that wraps', () => {
    const text = 'const a = 1\n// The answer of a node is\n// no proof.\n'
    expect(findPhrases('a.ts', text)).toMatchObject([{ rule: 'is no X', line: 2, words: 'is no proof' }])
  })

  it('counts each rule beside its budget, zero if the budget does not name it', () => {
    const findings = findPhrases('a.ts', '// Nobody told the caller.\n// Nobody did.\n')
    const counts = countByRule(findings, { nobody: 1 })
    expect(counts).toContainEqual({ rule: 'nobody', count: 2, allowed: 1 })
    expect(counts).toContainEqual({ rule: 'told', count: 1, allowed: 0 })
    expect(counts).toContainEqual({ rule: 'says so', count: 0, allowed: 0 })
  })
})
