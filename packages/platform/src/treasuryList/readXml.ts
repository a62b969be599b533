import { SanctionsFileError } from '../parseSanctions.ts'

/** What a reader of XML is told, in the document's order. Names come without their prefix. */
export interface XmlListener {
  open(name: string, attributes: ReadonlyMap<string, string>): void
  /** All text directly in the element. */
  close(name: string, text: string): void
}

/** The longest tag and text that are read, and the deepest nesting: the Treasury's are far below. */
const MAX_TAG_CHARS = 16_384
const MAX_TEXT_CHARS = 65_536
const MAX_DEPTH = 64
/** The real file is a little over 100 MB. */
const MAX_BYTES = 1_000_000_000

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const refusal = (why: string) => new SanctionsFileError(`the list is no XML that can be trusted: ${why}`)
const broken = (why: string): never => {
  throw refusal(why)
}

/**
 * Reads XML as it comes, holding no more than one tag and the texts of the open elements. A document type is
 * refused, and with it every entity that is not one of XML's own five.
 */
export async function readXml(
  chunks: AsyncIterable<Uint8Array>,
  listener: XmlListener,
  { maxBytes = MAX_BYTES } = {},
): Promise<void> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const open: { name: string; text: string }[] = []
  let rest = ''
  let bytes = 0
  let hasRoot = false

  function text(part: string): void {
    const top = open.at(-1)
    if (!top) {
      if (part.trim() !== '') broken('text outside its root')
      return
    }
    top.text += plain(part)
    if (top.text.length > MAX_TEXT_CHARS) broken('a text is too long')
  }

  function close(name: string): void {
    const top = open.pop()
    if (top?.name !== name) throw refusal(`</${name.slice(0, 40)}> closes nothing`)
    listener.close(local(name), top.text.trim())
  }

  function tag(inner: string): void {
    if (inner.startsWith('/')) {
      close(inner.slice(1).trim())
      return
    }
    const { name, attributes, isEmpty } = tagIn(inner)
    if (open.length === 0 && hasRoot) broken('it has two roots')
    if (open.length >= MAX_DEPTH) broken('it is nested too deep')
    hasRoot = true
    open.push({ name, text: '' })
    listener.open(local(name), attributes)
    if (isEmpty) close(name)
  }

  /** Takes what is whole; what is not waits for more. */
  function take(isLast: boolean): void {
    let at = 0
    while (at < rest.length) {
      const begins = rest.indexOf('<', at)
      if (begins < 0) {
        // An entity may be cut in two: text waits for the tag behind it.
        if (rest.length - at > MAX_TEXT_CHARS) broken('a text is too long')
        break
      }
      if (rest.length - begins < 9 && !isLast) break
      const ends = endOf(rest, begins)
      if (ends < 0) {
        if (rest.length - begins > MAX_TAG_CHARS) broken('a tag is too long')
        break
      }
      text(rest.slice(at, begins))
      const part = rest.slice(begins, ends)
      if (part.startsWith('<![CDATA[')) cdata(part.slice(9, -3))
      else if (part.startsWith('<!DOCTYPE') || (part.startsWith('<!') && !part.startsWith('<!--')))
        broken('it declares a document type or entities')
      else if (!part.startsWith('<!--') && !part.startsWith('<?')) tag(part.slice(1, -1))
      at = ends
    }
    rest = rest.slice(at)
  }

  function cdata(part: string): void {
    const top = open.at(-1) ?? broken('text outside its root')
    top.text += part
    if (top.text.length > MAX_TEXT_CHARS) broken('a text is too long')
  }

  try {
    for await (const chunk of chunks) {
      bytes += chunk.length
      if (bytes > maxBytes) broken(`it has more than ${maxBytes} bytes`)
      rest += decoder.decode(chunk, { stream: true })
      take(false)
    }
    rest += decoder.decode()
  } catch (error) {
    if (error instanceof TypeError) broken('it is not UTF-8')
    throw error
  }
  take(true)
  if (!hasRoot || open.length > 0 || rest.trim() !== '') broken('it ends in the middle')
}

/** Where a tag, comment or instruction that begins here ends; -1 when it does not yet. */
function endOf(rest: string, begins: number): number {
  const after = (mark: string) => {
    const found = rest.indexOf(mark, begins)
    return found < 0 ? -1 : found + mark.length
  }
  if (rest.startsWith('<!--', begins)) return after('-->')
  if (rest.startsWith('<![CDATA[', begins)) return after(']]>')
  if (rest.startsWith('<?', begins)) return after('?>')
  return after('>')
}

const local = (name: string): string => name.slice(name.indexOf(':') + 1)

const NAME = /^[A-Za-z_][\w.:-]*/
const ATTRIBUTE = /\s+([A-Za-z_][\w.:-]*)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y

function tagIn(inner: string): { name: string; attributes: Map<string, string>; isEmpty: boolean } {
  const isEmpty = inner.endsWith('/')
  const body = (isEmpty ? inner.slice(0, -1) : inner).trimEnd()
  const name = NAME.exec(body)?.[0] ?? broken('a tag has no name')
  const attributes = new Map<string, string>()
  ATTRIBUTE.lastIndex = name.length
  let read = name.length
  for (let found = ATTRIBUTE.exec(body); found; found = ATTRIBUTE.exec(body)) {
    attributes.set(local(found[1]!), plain(found[2] ?? found[3] ?? ''))
    read = ATTRIBUTE.lastIndex
  }
  if (read !== body.length) broken(`the tag ${name.slice(0, 40)} cannot be read`)
  return { name, attributes, isEmpty }
}

/** With entities resolved: XML's own five and characters by number, nothing that a document made up. */
function plain(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&([^;]{0,12});?/g, (whole, name: string) => {
    if (!whole.endsWith(';')) return broken('an & stands alone')
    const number = /^#(?:x([0-9a-fA-F]{1,6})|(\d{1,7}))$/.exec(name)
    if (!number) return ENTITIES[name] ?? broken('it uses an entity of its own')
    const point = number[1] === undefined ? Number(number[2]) : Number.parseInt(number[1], 16)
    return point <= 0x10ffff ? String.fromCodePoint(point) : broken('a character is none')
  })
}
