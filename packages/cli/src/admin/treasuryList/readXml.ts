import { SanctionsFileError } from '@pit/platform/sanctions'
import { SaxesParser } from 'saxes'

/** Receives elements in document order, with namespace prefixes removed. */
export interface XmlListener {
  open(name: string, attributes: ReadonlyMap<string, string>): void
  /** `text` is all text directly inside the element. */
  close(name: string, text: string): void
}

/** Limits far above the Treasury's own file. */
const MAX_PART_CHARS = 65_536
const MAX_DEPTH = 64
/** The real file is a little over 100 MB. */
const MAX_BYTES = 1_000_000_000

const reject = (why: string): never => {
  throw new SanctionsFileError(`The list is not valid XML: ${why}`)
}

/** Streams XML in bounded memory. Document types are rejected, and with them all custom entities. */
export async function readXml(
  chunks: AsyncIterable<Uint8Array>,
  listener: XmlListener,
  { maxBytes = MAX_BYTES } = {},
): Promise<void> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const parser = new SaxesParser()
  const texts: string[] = []
  let bytes = 0
  let chars = 0
  /** Position of the last event: the parser buffers what follows it. */
  let eventAt = 0
  const seen = () => {
    eventAt = parser.position
  }

  parser.on('error', ({ message }) => reject(message))
  parser.on('doctype', () => reject('it declares a document type'))
  parser.on('opentag', ({ name, attributes }) => {
    seen()
    if (texts.length >= MAX_DEPTH) reject('it is nested too deep')
    texts.push('')
    const named = Object.entries(attributes as Record<string, string>)
    listener.open(local(name), new Map(named.map(([key, value]) => [local(key), value])))
  })
  const append = (text: string) => {
    seen()
    if (texts.length === 0) return
    texts[texts.length - 1] += text
    if (texts.at(-1)!.length > MAX_PART_CHARS) reject('a text is too long')
  }
  parser.on('text', append)
  parser.on('cdata', append)
  parser.on('comment', seen)
  parser.on('processinginstruction', seen)
  parser.on('closetag', ({ name }) => {
    seen()
    listener.close(local(name), texts.pop()!.trim())
  })

  try {
    for await (const chunk of chunks) {
      bytes += chunk.length
      if (bytes > maxBytes) reject(`it has more than ${maxBytes} bytes`)
      const text = decoder.decode(chunk, { stream: true })
      parser.write(text)
      chars += text.length
      if (chars - eventAt > MAX_PART_CHARS) reject('a tag or text is too long')
    }
    parser.write(decoder.decode())
  } catch (error) {
    if (error instanceof TypeError) reject('it is not UTF-8')
    throw error
  }
  parser.close()
}

const local = (name: string): string => name.slice(name.indexOf(':') + 1)
