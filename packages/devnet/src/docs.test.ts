import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { projectRoot } from './compile.ts'
import { SETTINGS } from './config.ts'
import { MODELS, VENDOR_MODES, VENDOR_NAMES } from './vendors/index.ts'

const read = (name: string) => readFileSync(join(projectRoot(), 'docs', 'reference', name), 'utf8')
const page = read('devnet.md')

it('docs/reference/configuration.md has every setting as config.ts has it', () => {
  const settings = read('configuration.md')
  for (const [name, row] of Object.entries(SETTINGS)) {
    expect(settings).toContain(`| \`${name}\` | \`${row.default}\` | ${row.means} |`)
  }
})

it('docs/reference/devnet.md names every vendor, mode and model', () => {
  for (const name of VENDOR_NAMES) {
    for (const mode of Object.keys(VENDOR_MODES[name])) expect(page).toContain(`\`${mode}\``)
  }
  for (const { id, inputUsd, outputUsd } of MODELS)
    expect(page).toContain(`| \`${id}\` | ${inputUsd} | ${outputUsd} |`)
})
