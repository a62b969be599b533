import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import {
  type Doc,
  type Guide,
  guideFullText,
  guideIndex,
  guideLlms,
  guidePath,
  renderGuide,
} from '@pit/api-docs/pages'
import { acceptsEncoding, hasTag, JSON_POLICY, type PageAt, type PagePlan, pagePolicy } from '@pit/http'

const BESIDE_THE_BUNDLE = join(dirname(fileURLToPath(import.meta.url)), 'docs')
const MARKDOWN = 'text/markdown; charset=utf-8'
const PLAIN = 'text/plain; charset=utf-8'
const HTML = 'text/html; charset=utf-8'

interface GuideOptions {
  version: string
  publicUrl: string
  folder?: string
}

/**
 * Every doc as a page below `/guide`, and as Markdown at the same path with `.md`; the search index; llms.txt with
 * the list of pages, llms-full.txt with their text. Empty if docs were not built.
 */
export function guidePages({ version, publicUrl, folder = BESIDE_THE_BUNDLE }: GuideOptions): PageAt[] {
  if (!existsSync(folder)) return []
  const docs = readDocs(folder)
  const guide: Guide = { docs, version, script: guideScript(folder) }
  const about = { serverUrl: new URL(publicUrl).origin, version }
  const htmlOf = (doc: Doc) => textPage(HTML, () => renderGuide(doc, guide), guide.script)
  return [
    ...docs.flatMap((doc) => [
      pageAt(guidePath(doc.file), htmlOf(doc)),
      pageAt(
        `/guide/${doc.file}`,
        textPage(MARKDOWN, () => doc.text),
      ),
    ]),
    pageAt(
      '/guide/search.json',
      textPage('application/json; charset=utf-8', () => JSON.stringify(guideIndex(docs))),
    ),
    pageAt(
      '/llms.txt',
      textPage(PLAIN, () => guideLlms(docs, about)),
    ),
    pageAt(
      '/llms-full.txt',
      textPage(PLAIN, () => guideFullText(docs, about)),
    ),
  ]
}

/** Script of the guide and the reference; empty if it was not built. */
export function guideScript(folder = BESIDE_THE_BUNDLE): string {
  const file = join(folder, 'guide.js')
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

const readDocs = (folder: string): Doc[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .sort()
    .map((file) => ({ file, text: readFileSync(join(folder, file), 'utf8') }))

/** Makes the text for the first request and keeps it, plain and compressed. */
function textPage(contentType: string, make: () => string, script = ''): PagePlan['reply'] {
  let made: { plain: Buffer; zipped: Buffer; etag: string; policy: readonly string[] } | null = null
  return ({ 'accept-encoding': accepted, 'if-none-match': tags }) => {
    if (made === null) {
      const text = make()
      const plain = Buffer.from(text)
      const etag = createHash('sha256').update(plain).digest('base64url').slice(0, 22)
      const policy =
        contentType === HTML ? ['Content-Security-Policy', pagePolicy(text, script)] : JSON_POLICY
      made = { plain, zipped: gzipSync(plain), etag, policy }
    }
    const isZipped = acceptsEncoding(accepted, 'gzip')
    const etag = `"${made.etag}${isZipped ? '-gzip' : ''}"`
    const headers = [...made.policy, 'ETag', etag, 'Vary', 'Accept-Encoding']
    if (isZipped) headers.push('Content-Encoding', 'gzip')
    const about = { contentType, headers, cacheControl: 'no-cache' }
    if (hasTag(tags, etag)) return { status: 304, body: '', ...about }
    return { status: 200, body: isZipped ? made.zipped : made.plain, ...about }
  }
}

const pageAt = (path: string, reply: PagePlan['reply']): PageAt => ({
  path,
  page: { kind: 'page', name: 'guide', reply },
})
