import { readFileSync } from 'node:fs'
import { AGGREGATORS } from '@pit/trading'
import { expect, it } from 'vitest'

const page = readFileSync(new URL('../../../docs/reference/vendors.md', import.meta.url), 'utf8')

it('docs/reference/vendors.md has a row for every aggregator, with its key', () => {
  for (const [kind, { key }] of Object.entries(AGGREGATORS)) {
    const row = page.split('\n').find((line) => line.includes(`| \`${kind}\` |`))
    const named = { none: 'none', optional: `\`${kind}\`, optional`, required: `\`${kind}\`` }[key]
    expect(row, kind).toContain(`| \`${kind}\` | ${named} |`)
  }
})
