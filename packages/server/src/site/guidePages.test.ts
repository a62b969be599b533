import { createHash } from 'node:crypto'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import type { GuideSection } from '@pit/api-docs/guide'
import { guidePath } from '@pit/api-docs/pages'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../../test/testApp.ts'
import { guidePages } from './guidePages.ts'

const FOLDER = fileURLToPath(new URL('../../../../docs', import.meta.url))
const FILES = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.md'),
)
const OTHER_PAGES = new Set(['/docs', '/llms.txt', '/llms-full.txt'])
const SCRIPT = "document.title = '1'"
const ABOUT = { version: '1.2.3', publicUrl: 'http://localhost:4663/' }
/** As the build makes it: the docs, the changelog, the script. */
const built = mkdtempSync(join(tmpdir(), 'pit-guide-'))

let app: TestApp
const pages = new Map<string, string>()

/** A second after the last request: pages have a rate limit per address. */
function read(url: string, headers: Record<string, string> = {}): ReturnType<TestApp['inject']> {
  app.time.nowMs += 1_000
  return app.inject({ url, headers })
}

beforeAll(async () => {
  cpSync(FOLDER, built, { recursive: true })
  cpSync(join(FOLDER, '../CHANGELOG.md'), join(built, 'changelog.md'))
  writeFileSync(join(built, 'guide.js'), SCRIPT)
  app = await openTestApp({ site: guidePages({ ...ABOUT, folder: built }) })
  for (const file of [...FILES, 'changelog.md'])
    pages.set(guidePath(file), (await read(guidePath(file))).text)
})
afterAll(async () => {
  await app.close()
  rmSync(built, { recursive: true, force: true })
})

it('serves each doc as a page and as Markdown', async () => {
  for (const file of FILES) {
    const page = await read(guidePath(file))
    expect([page.status, page.headers['content-type']], file).toEqual([200, 'text/html; charset=utf-8'])
    expect(page.headers['content-security-policy']).toMatch(/default-src 'none'; style-src 'sha256-/)
    expect(page.text).toContain(`<link rel="alternate" type="text/markdown" href="/guide/${file}">`)
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
      // The test above reads each page's Markdown.
      if (/^https?:/.test(href) || OTHER_PAGES.has(href) || href === `${path}.md`) continue
      if (path === '/guide' && href === '/guide/README.md') continue
      const [target = '', hash] = href.split('#')
      const linked = pages.get(target === '' ? path : target)
      if (linked === undefined || (hash !== undefined && !linked.includes(` id="${hash}"`)))
        broken.push(`${path}: ${href}`)
    }
  expect(broken).toEqual([])
})

it('runs its own script only, by its hash', async () => {
  const policy = (await read('/guide')).headers['content-security-policy']
  const hash = createHash('sha256').update(SCRIPT).digest('base64')
  expect(policy).toContain(
    `script-src 'sha256-${hash}'; connect-src 'self'; require-trusted-types-for 'script'`,
  )
  for (const [path, html] of pages) {
    expect(html.split('<script').length, path).toBe(2)
    expect(html, path).not.toMatch(/(src|href)="https?:[^"]+\.(js|css|woff2?)"|<img[^>]+src="http/)
  }
})

it('names the version and its changes on each page', async () => {
  for (const html of pages.values())
    expect(html).toContain('<a href="/guide/changelog" title="Changes by version">1.2.3</a>')
  expect((await read('/guide/changelog')).text).toMatch(/<h2 id="[^"]*">\d+\.\d+\.\d+/)
})

it('has an index of all sections, routes and errors, whose links exist', async () => {
  const index: GuideSection[] = (await read('/guide/search.json')).json()
  expect(index.length).toBeGreaterThan(400)
  const reference = (await read('/docs')).text
  const broken = index.filter(({ path }) => {
    const [page = '', anchor] = path.split('#')
    const html = page === '/docs' ? reference : pages.get(page)
    return !html || (anchor !== undefined && !html.includes(` id="${anchor}"`))
  })
  expect(broken.map(({ path }) => path)).toEqual([])
  expect(index.find(({ path }) => path === '/guide/how-to/trade')).toMatchObject({
    page: 'Trade',
    heading: 'Trade',
  })
  expect(index.filter(({ path }) => path === '/docs#live-prepare')).toHaveLength(1)
  expect(index.some(({ heading }) => heading === 'CAP_PRICE')).toBe(true)
})

it('lists the pages in llms.txt and has their text in llms-full.txt', async () => {
  const short = await read('/llms.txt')
  expect(short.headers['content-type']).toBe('text/plain; charset=utf-8')
  expect(short.text).toContain('POST /api/v1/live/prepare')
  expect(short.text).toContain('- [Trade](http://localhost:4663/guide/how-to/trade.md): quote, review, sign')
  const full = (await read('/llms-full.txt')).text
  for (const file of FILES.filter((one) => !/^(decisions|evidence)/.test(one))) {
    expect(full, file).toContain(`Source: http://localhost:4663/guide/${file}\n`)
    expect(full.includes(readFileSync(join(FOLDER, file), 'utf8')), file).toBe(true)
  }
})

it('compresses texts and answers 304 for a cached one', async () => {
  const plain = await read('/guide/search.json')
  const zipped = await read('/guide/search.json', { 'accept-encoding': 'br, gzip' })
  expect([zipped.headers['content-encoding'], zipped.headers['vary']]).toEqual(['gzip', 'Accept-Encoding'])
  expect(gunzipSync(zipped.bytes).toString()).toBe(plain.text)
  expect(zipped.bytes.length).toBeLessThan(plain.text.length / 2)
  const cached = await read('/guide/search.json', { 'if-none-match': String(plain.headers['etag']) })
  expect([cached.status, cached.text]).toEqual([304, ''])
  expect(
    (await read('/guide', { 'accept-encoding': 'gzip;q=0' })).headers['content-encoding'],
  ).toBeUndefined()
})

it('is empty if docs were not built', () => {
  expect(guidePages({ ...ABOUT, folder: join(FOLDER, 'missing') })).toEqual([])
})
