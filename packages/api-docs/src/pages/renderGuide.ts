import { Marked, type Tokens } from 'marked'
import { guideTools, scriptTag, toHtml } from './guideTools.ts'
import { REFERENCE_STYLE } from './referenceStyle.ts'

/** A Markdown file of docs/. */
export interface Doc {
  /** Relative to docs/, such as `how-to/trade.md`. */
  file: string
  text: string
}

/** Every page of the guide, and what all of them show. */
export interface Guide {
  docs: readonly Doc[]
  /** The server's version, which the pages describe. */
  version: string
  /** Theme, copy buttons and search; empty if it was not built. */
  script: string
}

/** Folders in the order of the navigation. */
const KINDS: readonly (readonly [folder: string, title: string])[] = [
  ['tutorials', 'Tutorials'],
  ['how-to', 'How-to guides'],
  ['how-to/operate', 'For operators'],
  ['reference', 'Reference'],
  ['explanation', 'Explanation'],
  ['decisions', 'Decisions'],
  ['', 'Results and changes'],
]
const INDEX = 'README.md'
/** A copy of CHANGELOG.md. */
const CHANGES = 'changelog.md'
const GUIDE_STYLE = `${REFERENCE_STYLE}
main{max-width:56rem}main h2{margin-top:2rem}
td:first-child{white-space:normal}main li{margin:.2rem 0}[aria-current]{font-weight:700}
`

/** `how-to/trade.md` is at `/guide/how-to/trade`, the index at `/guide`. */
export const guidePath = (file: string): string =>
  file === INDEX ? '/guide' : `/guide/${file.replace(/\.md$/, '')}`

/** The id of a heading, as GitHub makes it: links written for the repository work here too. */
export const headingId = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')

export function renderGuide(doc: Doc, guide: Guide): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${toHtml(titleOf(doc))} · Pit ${toHtml(guide.version)}</title>
<link rel="alternate" type="text/markdown" href="/guide/${doc.file}">
<style>${GUIDE_STYLE}</style>${scriptTag(guide.script)}
</head>
<body>
<div class="page">
<nav aria-label="Contents">${navigation(doc, guide)}</nav>
<main>
${bodyOf(doc, guide.docs)}
<p class="tools"><a href="/guide/${doc.file}">This page as text</a> · <a href="/llms.txt">llms.txt</a> · <a href="/llms-full.txt">all pages as text</a></p>
</main>
</div>
</body>
</html>
`
}

/** Pages in the order of the navigation, the index first. */
export const inOrder = (docs: readonly Doc[]): Doc[] => [
  ...docs.filter(({ file }) => file === INDEX),
  ...KINDS.flatMap(([folder]) => inFolder(docs, folder)),
]
const inFolder = (docs: readonly Doc[], folder: string): Doc[] =>
  docs.filter(({ file }) => folderOf(file) === folder && file !== INDEX)
const folderOf = (file: string): string => file.slice(0, Math.max(0, file.lastIndexOf('/')))

function navigation(current: Doc, { docs, version }: Guide): string {
  const groups = KINDS.map(([folder, title]) => {
    const pages = inFolder(docs, folder)
    return pages.length === 0
      ? ''
      : `<h2>${title}</h2><ul>${pages.map((doc) => navigationLink(doc, current)).join('')}</ul>`
  })
  const changes = docs.some(({ file }) => file === CHANGES) ? guidePath(CHANGES) : '/guide'
  return `<a href="/guide"><strong>Pit guide</strong></a>${guideTools(version, changes)}${groups.join('')}<h2>API</h2><ul><li><a href="/docs">API reference</a></li></ul>`
}

function navigationLink(doc: Doc, current: Doc): string {
  const marker = doc.file === current.file ? ' aria-current="page"' : ''
  return `<li><a href="${guidePath(doc.file)}"${marker}>${toHtml(titleOf(doc))}</a></li>`
}

function bodyOf({ file, text }: Doc, docs: readonly Doc[]): string {
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text: heading }: Tokens.Heading): string {
        return `<h${depth} id="${headingId(heading)}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      link({ href, tokens }: Tokens.Link): string {
        const target = linkTarget(href, file, docs)
        const label = this.parser.parseInline(tokens)
        return target === null ? label : `<a href="${toHtml(target)}">${label}</a>`
      },
    },
  })
  // Keyboard users can focus and scroll wide code and tables.
  return marked
    .parse(text, { async: false })
    .replaceAll('<pre>', '<pre tabindex="0">')
    .replaceAll('<table>', '<div class="scroll" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>')
}

/** URL of a doc's link on the server; null for repository files that are not served. */
function linkTarget(href: string, file: string, docs: readonly Doc[]): string | null {
  if (/^([a-z]+:|#|\/)/.test(href)) return href
  const [path = '', hash] = href.split('#')
  const { pathname } = new URL(path, `file:///repository/docs/${file}`)
  const [, target] = pathname.split('/repository/docs/')
  if (target === 'reference/llms.txt') return '/llms.txt'
  if (target === undefined || !docs.some((doc) => doc.file === target)) return null
  return guidePath(target) + (hash === undefined ? '' : `#${hash}`)
}

export const titleOf = ({ file, text }: Doc): string =>
  (/^# (.+)$/m.exec(text)?.[1] ?? file).replaceAll('`', '')
