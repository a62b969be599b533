import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { projectRoot } from './compile.ts'
import { SETTINGS } from './config.ts'
import { MODELS, VENDOR_MODES, VENDOR_NAMES } from './vendors/index.ts'

const page = readFileSync(join(projectRoot(), 'docs', 'reference', 'devnet.md'), 'utf8')

it('docs/reference/devnet.md has every setting as config.ts has it', () => {
  for (const [name, row] of Object.entries(SETTINGS)) {
    expect(page).toContain(`| \`${name}\` | \`${row.default}\` | ${row.means} |`)
  }
})

it('docs/reference/devnet.md names every vendor, mode and model', () => {
  for (const name of VENDOR_NAMES) {
    for (const mode of Object.keys(VENDOR_MODES[name])) expect(page).toContain(`\`${mode}\``)
  }
  for (const { id, inputUsd, outputUsd } of MODELS)
    expect(page).toContain(`| \`${id}\` | ${inputUsd} | ${outputUsd} |`)
})
