import { describe, expect, it } from 'vitest'
import { createAnswerReader } from './readAnswer.ts'

const FOREVER = Number.POSITIVE_INFINITY
/** Feeds the same bytes in pieces of each size; the result must not change. */
function readAll(text: string, { closes = false, maxBytes = 1_000 } = {}) {
  const bytes = Buffer.from(text)
  const readings = [1, 2, 3, 7, bytes.length].map((size) => {
    const reader = createAnswerReader(maxBytes)
    for (let at = 0; at < bytes.length; at += size) {
      const read = reader.take(bytes.subarray(at, at + size))
      if (read) return { read, left: Math.max(0, bytes.length - at - size) }
    }
    return { read: closes ? reader.end() : undefined, left: 0 }
  })
  const [first] = readings
  for (const { read } of readings.slice(0, -1)) expect(read).toEqual(first!.read)
  return readings.at(-1)!.read
}

describe('reads complete responses', () => {
  it.each([
    [
      'by length',
      'HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\ngrüß',
      { status: 200, text: 'grüß', keepMs: FOREVER },
    ],
    ['without a body', 'HTTP/1.1 204 No Content\r\n\r\n', { status: 204, text: '' }],
    ['with an empty body', 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n', { text: '' }],
    [
      'in chunks, with extensions and trailers',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n4;a=b\r\nab\r\n\r\nA \r\n0123456789\r\n0\r\nx: y\r\n\r\n',
      { text: 'ab\r\n0123456789', keepMs: FOREVER },
    ],
    [
      'after a 1xx response',
      'HTTP/1.1 103 Early\r\na: b\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nx',
      { text: 'x' },
    ],
    [
      'without a reason phrase',
      'HTTP/1.1 429\r\nretry-after:  3 \r\ncontent-length: 0\r\n\r\n',
      { status: 429, headers: { 'retry-after': '3', 'content-length': '0' } },
    ],
    [
      'with keep-alive: its timeout less a second',
      'HTTP/1.1 200 OK\r\nkeep-alive: timeout=5, max=9\r\ncontent-length: 0\r\n\r\n',
      { keepMs: 4_000 },
    ],
    [
      'with connection: close',
      'HTTP/1.1 200 OK\r\nConnection: Close\r\ncontent-length: 0\r\n\r\n',
      { keepMs: 0 },
    ],
    ['of HTTP/1.0', 'HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n', { keepMs: 0 }],
  ])('%s', (_, text, expected) => {
    expect(readAll(text)).toMatchObject(expected)
  })
  it('that end with the connection', () => {
    const text = 'HTTP/1.1 200 OK\r\n\r\nwhatever'
    expect(readAll(text, { closes: true })).toMatchObject({ text: 'whatever', keepMs: 0 })
    expect(readAll('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf', { closes: true })).toBeUndefined()
  })
})

describe('rejects', () => {
  it.each([
    ['another protocol', 'SSH-2.0-OpenSSH\r\n\r\n', 'broken'],
    ['an invalid status', 'HTTP/1.1 999 What\r\n\r\n', 'broken'],
    ['a folded header', 'HTTP/1.1 200 OK\r\na: b\r\n c\r\n\r\n', 'broken'],
    ['a space before the colon', 'HTTP/1.1 200 OK\r\ncontent-length : 1\r\n\r\nx', 'broken'],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nxx', 'broken'],
    [
      'a length and chunks',
      'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n',
      'broken',
    ],
    ['an invalid length', 'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n', 'broken'],
    ['another transfer coding', 'HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n', 'broken'],
    ['a chunk without a length', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n', 'broken'],
    [
      'a chunk longer than declared',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nxy\r\n',
      'broken',
    ],
    ['headers without an end', `HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(6_000)}`, 'broken'],
    ['compressed', 'HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 1\r\n\r\nx', 'encoded'],
    ['more bytes than allowed', 'HTTP/1.1 200 OK\r\ncontent-length: 1001\r\n\r\n', 'too large'],
    [
      'more bytes than allowed in chunks',
      `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3e9\r\n${'x'.repeat(1_001)}`,
      'too large',
    ],
    ['more bytes than allowed without a length', `HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(1_001)}`, 'too large'],
  ])('%s', (_, text, kind) => {
    expect(readAll(text)).toMatchObject({ kind })
  })
})

it('does not reuse a connection that sent surplus data', () => {
  const reader = createAnswerReader(10)
  const read = reader.take(Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nxHTTP/1.1 200 OK\r\n'))
  expect(read).toMatchObject({ text: 'x', keepMs: 0 })
})

it('reads headers of the maximum length quickly', () => {
  const readMs = (filler: string) => {
    const head = `HTTP/1.1 200 OK\r\na: x${filler.repeat(32_000)}y\r\ncontent-length: 0\r\n\r\n`
    const startedAt = performance.now()
    expect(createAnswerReader(10).take(Buffer.from(head))).toMatchObject({ status: 200 })
    return performance.now() - startedAt
  }
  readMs('x')
  // Spaces cost no more than letters: a backtracking pattern would take seconds.
  expect(readMs(' ')).toBeLessThan(100 * readMs('x') + 500)
})
