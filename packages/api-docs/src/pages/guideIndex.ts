import { ERRORS, type ErrorCode, errorRow, ROUTE_IDS, routeById } from '@pit/protocol'
import type { GuideSection } from '../guideSearch.ts'
import { llmsText } from '../llms.ts'
import { type Doc, guidePath, headingId, inOrder, titleOf } from './renderGuide.ts'

/** Sections of every page, then routes and errors of the API reference. */
export const guideIndex = (docs: readonly Doc[]): GuideSection[] => [
  ...inOrder(docs).flatMap(sectionsOf),
  ...ROUTE_IDS.map(routeById).map(({ id, method, path, summary }) => ({
    page: 'API reference',
    heading: `${method} ${path}`,
    path: `/docs#${id.replaceAll('.', '-')}`,
    text: summary,
  })),
  ...(Object.keys(ERRORS) as ErrorCode[]).map((code) => ({
    page: 'Errors of the API',
    heading: code,
    path: `/docs#${code}`,
    text: `${errorRow(code).message} ${errorRow(code).hint}`,
  })),
]

function sectionsOf(doc: Doc): GuideSection[] {
  const page = titleOf(doc)
  const sections: (GuideSection & { lines: string[] })[] = []
  let isCode = false
  for (const line of doc.text.split('\n')) {
    if (line.startsWith('```')) {
      isCode = !isCode
      continue
    }
    const heading = isCode ? undefined : /^#{1,4} (.+)$/.exec(line)?.[1]
    if (heading === undefined) sections.at(-1)?.lines.push(line)
    else {
      const anchor = sections.length === 0 ? '' : `#${headingId(heading)}`
      sections.push({
        page,
        heading: plain(heading),
        path: guidePath(doc.file) + anchor,
        text: '',
        lines: [],
      })
    }
  }
  return sections.map(({ lines, ...section }) => ({ ...section, text: plain(lines.join(' ')) }))
}

/** Markdown without its marks: links by their text, tables as words. */
const plain = (markdown: string): string =>
  markdown
    .replaceAll(/!?\[([^\][]*)\]\([^()]*\)/g, '$1')
    .replaceAll(/<[^<>]+>|[`*|]|\|?-{3,}/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()

/** Too long for a model that wants to trade: linked by llms.txt, not part of llms-full.txt. */
const RECORDS = /^(decisions\/|evidence\.md|changelog\.md)/

/** llms.txt of a server: the essentials of the API, then every page of the guide with what it is about. */
export function guideLlms(docs: readonly Doc[], { serverUrl, version }: ServerText): string {
  const summaries = new Map(
    docs
      .flatMap(({ text }) => text.split('\n'))
      .map((line) => /^- \[[^\]]+\]\(([^)]+)\): (.+)$/.exec(line))
      .flatMap((match) => (match === null ? [] : [[match[1], match[2]]])),
  )
  const lines = inOrder(docs)
    .filter(({ file }) => !file.startsWith('decisions/'))
    .map((doc) => {
      const summary = summaries.get(doc.file)
      return `- [${titleOf(doc)}](${serverUrl}/guide/${doc.file})${summary ? `: ${summary}` : ''}`
    })
  const head = `${llmsText(serverUrl)}\n## Guide of version ${version}\n`
  return `${head}All pages as one text: ${serverUrl}/llms-full.txt\n${lines.join('\n')}\n`
}

interface ServerText {
  serverUrl: string
  version: string
}

/** llms-full.txt: llms.txt and the text of every page but records of the past. */
export function guideFullText(docs: readonly Doc[], about: ServerText): string {
  const pages = inOrder(docs)
    .filter(({ file }) => !RECORDS.test(file))
    .map(({ file, text }) => `\n---\nSource: ${about.serverUrl}/guide/${file}\n\n${text}`)
  return guideLlms(docs, about) + pages.join('')
}
