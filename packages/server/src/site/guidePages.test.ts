import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../../test/testApp.ts'
import { guidePath } from '../docs/renderGuide.ts'
import { guidePages } from './guidePages.ts'

const FOLDER = fileURLToPath(new URL('../../../../docs', import.meta.url))
const FILES = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.md'),
)
const OTHER_PAGES = new Set(['/docs', '/llms.txt'])

let app: TestApp
const pages = new Map<string, string>()

/** A second after the last request: pages have a rate limit per address. */
function read(url: string): ReturnType<TestApp['inject']> {
  app.time.nowMs += 1_000
  return app.inject({ url })
}

beforeAll(async () => {
  app = await openTestApp({ site: guidePages(FOLDER) })
  for (const file of FILES) pages.set(guidePath(file), (await read(guidePath(file))).text)
})
afterAll(() => app.close())

it('serves each doc as a page and as Markdown', async () => {
  for (const file of FILES) {
    const page = await read(guidePath(file))
    expect([page.status, page.headers['content-type']], file).toEqual([200, 'text/html; charset=utf-8'])
    expect(page.headers['content-security-policy']).toMatch(/default-src 'none'; style-src 'sha256-/)
    const raw = await read(`/guide/${file}`)
    expect(raw.headers['content-type']).toBe('text/markdown; charset=utf-8')
    expect(raw.text).toBe(readFileSync(join(FOLDER, file), 'utf8'))
  }
})

it('lists each doc in the index, and each decision record in its own', () => {
  const bodies = ['/guide', '/guide/decisions/README'].map((path) => pages.get(path)!.split('<main>')[1]!)
  const listed = new Set(
    bodies.flatMap((body) => [...body.matchAll(/href="([^"#]+)"/g)]).map(([, href]) => href),
  )
  const expected = FILES.map(guidePath).filter((path) => path !== '/guide')
  expect(expected.filter((path) => !listed.has(path))).toEqual([])
})

it('links only to served pages and existing headings', () => {
  const broken: string[] = []
  for (const [path, html] of pages)
    for (const [, href = ''] of html.matchAll(/<a href="([^"]+)"/g)) {
      if (/^https?:/.test(href) || OTHER_PAGES.has(href)) continue
      const [target = '', hash] = href.split('#')
      const linked = pages.get(target === '' ? path : target)
      if (linked === undefined || (hash !== undefined && !linked.includes(` id="${hash}"`)))
        broken.push(`${path}: ${href}`)
    }
  expect(broken).toEqual([])
})

it('is empty if docs were not built', () => {
  expect(guidePages(join(FOLDER, 'missing'))).toEqual([])
})
