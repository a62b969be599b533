import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { headingId } from '../packages/api-docs/src/pages/index.ts'

const FILES = execFileSync('git', ['ls-files', '*.md'], { encoding: 'utf8' })
  .trim()
  .split('\n')
  .filter((file) => existsSync(file))
const LINK = /\]\(([^)\s]+)\)|<img src="([^"]+)"/g

/** The text without fenced code, in which a bracket is not a link and a hash is not a heading. */
const proseOf = (file: string): string => readFileSync(file, 'utf8').replaceAll(/^```[\s\S]*?^```$/gm, '')

const headingIds = (file: string): Set<string> =>
  new Set([...proseOf(file).matchAll(/^#+ (.+)$/gm)].map(([, heading]) => headingId(heading!)))

it('relative links of every Markdown file lead to a file and a heading', () => {
  const broken: string[] = []
  for (const file of FILES)
    for (const [, link, image] of proseOf(file).matchAll(LINK)) {
      const href = link ?? image ?? ''
      if (/^([a-z]+:|\/)/.test(href)) continue
      const [path = '', hash] = href.split('#')
      const target = path === '' ? file : join(dirname(file), path)
      const hasHeading = hash === undefined || !target.endsWith('.md') || headingIds(target).has(hash)
      if (!existsSync(target) || !hasHeading) broken.push(`${file}: ${href}`)
    }
  expect(broken).toEqual([])
})
