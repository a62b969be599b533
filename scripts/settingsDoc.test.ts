import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const DOCS = ['reference/configuration', 'reference/pit', 'how-to/operate/deploy', 'tutorials/quickstart']
/** Of the operating system, of tools, or set by one process for another. */
const NOT_SETTINGS = ['MIMALLOC_ALLOW_THP', 'MIMALLOC_PURGE_DELAY', 'NODE_ENV', 'PATH', 'PIT_TEST_POSTGRES']

const READ = /\benv(?:\[['"]|\.)([A-Z][A-Z0-9_]+)\b/g

it('every environment variable that code reads is documented', () => {
  const files = execFileSync('git', ['ls-files', 'packages/*/src/**.ts', 'scripts'], { encoding: 'utf8' })
    .split('\n')
    .filter((file) => /\.(ts|mjs)$/.test(file) && !/\.test\.ts$/.test(file))
  const read = new Set(
    files.flatMap((file) => [...readFileSync(file, 'utf8').matchAll(READ)].map(([, name]) => name!)),
  )
  const text = DOCS.map((doc) => readFileSync(`docs/${doc}.md`, 'utf8')).join('\n')
  const documented = new Set([...text.matchAll(/\b[A-Z][A-Z0-9_]+\b/g)].map(([name]) => name))
  expect(read.size).toBeGreaterThan(20)
  expect([...read].filter((name) => !documented.has(name)).sort()).toEqual(NOT_SETTINGS)
})
