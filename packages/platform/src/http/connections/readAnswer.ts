/** Why a response cannot be read. */
export interface AnswerFault {
  kind: 'broken' | 'too large' | 'encoded'
  why: string
}
export interface ReadAnswer {
  status: number
  headers: Record<string, string>
  text: string
  /** How long the connection may idle before reuse; 0: not reusable. */
  keepMs: number
}

/** Incremental parser of one HTTP/1.1 response. Rejects anything ambiguous. */
export interface AnswerReader {
  /** The response once complete, undefined before. */
  take(chunk: Buffer): ReadAnswer | AnswerFault | undefined
  /** The server closed the connection, which completes some responses. */
  end(): ReadAnswer | undefined
}

const HEAD_END = '\r\n\r\n'
const MAX_HEAD_BYTES = 32 * 1024
const MAX_LINE_BYTES = 1024
const STATUS_LINE = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: |$)/
const HEADER_LINE = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):(.*)$/
const CHUNK_LINE = /^([0-9a-fA-F]{1,8})[ \t]*(?:;.*)?$/
const NOTHING = Buffer.alloc(0)

/** How the end of the body is determined. `left`: bytes to come, of the body or of a chunk. */
type Body =
  | { by: 'length'; left: number }
  | { by: 'chunks'; left: number; next: 'length' | 'bytes' | 'end of chunk' | 'trailers' }
  | { by: 'closing' }

interface Head {
  status: number
  headers: Record<string, string>
  isOld: boolean
}

const broken = (why: string): AnswerFault => ({ kind: 'broken', why })

export function createAnswerReader(maxBytes: number): AnswerReader {
  let rest: Buffer = NOTHING
  let head: Head | undefined
  let body: Body | undefined
  const parts: Buffer[] = []
  let size = 0

  function take(chunk: Buffer): ReadAnswer | AnswerFault | undefined {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    while (!body) {
      const fault = takeHead()
      if (fault === 'unfinished') return undefined
      if (fault) return fault
    }
    if (body.by === 'chunks') return takeChunks(body)
    if (body.by === 'closing') return keep(rest.length)
    const fault = keep(Math.min(rest.length, body.left))
    if (fault) return fault
    return body.left === 0 ? whole() : undefined
  }

  function takeHead(): AnswerFault | 'unfinished' | undefined {
    const end = rest.indexOf(HEAD_END)
    if (end > MAX_HEAD_BYTES || (end < 0 && rest.length > MAX_HEAD_BYTES))
      return broken('its headers are too long')
    if (end < 0) return 'unfinished'
    const read = readHead(rest.toString('latin1', 0, end))
    if (read === null) return broken('it is not HTTP/1.1')
    rest = rest.subarray(end + HEAD_END.length)
    // Skip 1xx responses.
    if (read.status < 200) return undefined
    const { 'content-encoding': encoding } = read.headers
    if (encoding !== undefined && encoding !== 'identity')
      return { kind: 'encoded', why: 'the response is compressed' }
    const framed = bodyOf(read)
    if (framed === null) return broken('its body length is ambiguous')
    if (framed.by === 'length' && framed.left > maxBytes) return tooLarge()
    head = read
    body = framed
    return undefined
  }

  /** Moves this many received bytes to the body. */
  function keep(bytes: number): AnswerFault | undefined {
    size += bytes
    if (size > maxBytes) return tooLarge()
    if (bytes > 0) parts.push(rest.subarray(0, bytes))
    rest = rest.subarray(bytes)
    if (body && body.by !== 'closing') body.left -= bytes
    return undefined
  }

  function takeChunks(chunks: Body & { by: 'chunks' }): ReadAnswer | AnswerFault | undefined {
    for (;;) {
      if (chunks.next === 'bytes') {
        const fault = keep(Math.min(rest.length, chunks.left))
        if (fault || chunks.left > 0) return fault
        chunks.next = 'end of chunk'
      }
      const end = rest.indexOf('\r\n')
      if (end > MAX_LINE_BYTES || (end < 0 && rest.length > MAX_LINE_BYTES))
        return broken('a chunk has no end')
      if (end < 0) return undefined
      const line = rest.toString('latin1', 0, end)
      rest = rest.subarray(end + 2)
      if (chunks.next === 'end of chunk') {
        if (line !== '') return broken('a chunk is longer than declared')
        chunks.next = 'length'
      } else if (chunks.next === 'length') {
        const length = CHUNK_LINE.exec(line)?.[1]
        if (length === undefined) return broken('a chunk has no length')
        chunks.left = Number.parseInt(length, 16)
        chunks.next = chunks.left === 0 ? 'trailers' : 'bytes'
      } else if (line === '') return whole()
    }
  }

  const tooLarge = (): AnswerFault => ({ kind: 'too large', why: `the response is over ${maxBytes} bytes` })

  function whole(): ReadAnswer {
    const { status, headers } = head!
    const text = (parts.length === 1 ? parts[0]! : Buffer.concat(parts)).toString('utf8')
    // Surplus data: the next response on this connection could not be trusted.
    const isClean = rest.length === 0 && body!.by !== 'closing'
    return { status, headers, text, keepMs: isClean ? keepMsOf(head!) : 0 }
  }

  return {
    take,
    end: () => (body?.by === 'closing' ? whole() : undefined),
  }
}

function readHead(text: string): Head | null {
  const [first = '', ...lines] = text.split('\r\n')
  const [, minor, status] = STATUS_LINE.exec(first) ?? []
  if (minor === undefined || status === undefined) return null
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const [, name, value = ''] = HEADER_LINE.exec(line) ?? []
    if (name === undefined) return null
    const key = name.toLowerCase()
    const own = value.trim()
    headers[key] = Object.hasOwn(headers, key) ? `${headers[key]}, ${own}` : own
  }
  return { status: Number(status), headers, isOld: minor === '0' }
}

/** Null if there are two lengths, or an invalid one. */
function bodyOf({ status, headers }: Head): Body | null {
  const { 'content-length': length, 'transfer-encoding': encoding } = headers
  if (encoding !== undefined) {
    const isClear = encoding.toLowerCase() === 'chunked' && length === undefined
    return isClear ? { by: 'chunks', left: 0, next: 'length' } : null
  }
  if (status === 204 || status === 304) return { by: 'length', left: 0 }
  if (length === undefined) return { by: 'closing' }
  return /^\d{1,15}$/.test(length) ? { by: 'length', left: Number(length) } : null
}

function keepMsOf({ headers, isOld }: Head): number {
  const { connection = isOld ? 'close' : 'keep-alive', 'keep-alive': terms = '' } = headers
  if (/(^|[ ,])close($|[ ,])/i.test(connection)) return 0
  const seconds = /timeout=(\d+)/i.exec(terms)?.[1]
  // One second less: a request sent as the server closes is lost.
  return seconds === undefined ? Number.POSITIVE_INFINITY : Math.max(0, (Number(seconds) - 1) * 1000)
}
