import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { JSON_POLICY, type PageAt, pagePolicy, type Reply } from '@pit/http'
import { type Doc, guidePath, renderGuide } from '../docs/renderGuide.ts'

const BESIDE_THE_BUNDLE = join(dirname(fileURLToPath(import.meta.url)), 'docs')

/** Every doc as a page below `/guide`, and as Markdown at the same path with `.md`. Empty if docs were not built. */
export function guidePages(folder = BESIDE_THE_BUNDLE): PageAt[] {
  if (!existsSync(folder)) return []
  const docs = readDocs(folder)
  return docs.flatMap((doc) => [
    pageAt(guidePath(doc.file), htmlOnce(doc, docs)),
    pageAt(`/guide/${doc.file}`, () => ({
      status: 200,
      body: Buffer.from(doc.text),
      contentType: 'text/markdown; charset=utf-8',
      headers: JSON_POLICY,
    })),
  ])
}

const readDocs = (folder: string): Doc[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .sort()
    .map((file) => ({ file, text: readFileSync(join(folder, file), 'utf8') }))

/** Renders on the first request and keeps the result. */
function htmlOnce(doc: Doc, docs: readonly Doc[]): () => Reply {
  let rendered: Reply | null = null
  return () => {
    rendered ??= htmlReply(renderGuide(doc, docs))
    return { ...rendered }
  }
}

const htmlReply = (html: string): Reply => ({
  status: 200,
  body: Buffer.from(html),
  contentType: 'text/html; charset=utf-8',
  headers: ['Content-Security-Policy', pagePolicy(html)],
})

const pageAt = (path: string, reply: () => Reply): PageAt => ({
  path,
  page: { kind: 'page', name: 'guide', reply },
})
