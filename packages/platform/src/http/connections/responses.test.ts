import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import type { ConnectionRequest } from './exchangeHandler.ts'
import { type KeptConnections, keepConnections } from './keepConnections.ts'

const REQUEST: ConnectionRequest = { method: 'GET', path: '/', timeoutMs: 5_000, maxAnswerBytes: 1_000 }
/** Above this, a piece per byte would take too long. */
const SHORT = 300

const clients: KeptConnections[] = []
const servers: Server[] = []
afterEach(() => {
  for (const client of clients.splice(0)) client.close()
  for (const server of servers.splice(0)) server.close()
})

/** A client of a server that answers every request with these bytes; counts its connections. */
async function respond(text: string, { pieceBytes = 1 << 20, closes = false } = {}) {
  let connections = 0
  const bytes = Buffer.from(text)
  const answer = async (socket: Socket) => {
    for (let at = 0; at < bytes.length && socket.writable; at += pieceBytes) {
      socket.write(bytes.subarray(at, at + pieceBytes))
      await turn()
    }
    if (closes) socket.end()
  }
  const server = createServer((socket) => {
    connections += 1
    socket.setNoDelay(true)
    socket.on('error', () => {})
    socket.on('data', () => void answer(socket))
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const client = keepConnections({ url: new URL(`http://127.0.0.1:${port}`), maxConnections: 1 })
  clients.push(client)
  return { exchange: () => client.exchange(REQUEST), connections: () => connections }
}

/** Sends the same bytes in pieces of each size; the outcome must not change. */
async function readAll(text: string, { closes = false } = {}) {
  const sizes = text.length > SHORT ? [text.length] : [1, 2, 3, 7, text.length]
  const outcomes = []
  for (const pieceBytes of sizes) {
    const { exchange } = await respond(text, { pieceBytes, closes })
    outcomes.push(await exchange())
  }
  for (const outcome of outcomes) expect(outcome.kind).toBe(outcomes[0]!.kind)
  for (const outcome of outcomes) if (outcome.kind === 'answer') expect(outcome).toEqual(outcomes[0])
  return outcomes[0]
}

describe('reads complete responses', () => {
  it.each([
    ['by length', 'HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\ngrüß', { status: 200, text: 'grüß' }],
    ['without a body', 'HTTP/1.1 204 No Content\r\n\r\n', { status: 204, text: '' }],
    ['with an empty body', 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n', { text: '' }],
    [
      'in chunks, with extensions and trailers',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n4;a=b\r\nab\r\n\r\nA\r\n0123456789\r\n0\r\nx: y\r\n\r\n',
      { text: 'ab\r\n0123456789' },
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
  ])('%s', async (_, text, expected) => {
    expect(await readAll(text)).toMatchObject({ kind: 'answer', ...expected })
  })

  it('that end with the connection', async () => {
    const text = 'HTTP/1.1 200 OK\r\n\r\nwhatever'
    expect(await readAll(text, { closes: true })).toMatchObject({ text: 'whatever' })
    const half = 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf'
    expect(await readAll(half, { closes: true })).toMatchObject({ kind: 'broken' })
  })
})

describe('reuses a connection', () => {
  it.each([
    ['after a response by length', 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n', 1],
    ['after chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n', 1],
    [
      'within the keep-alive timeout',
      'HTTP/1.1 200 OK\r\nkeep-alive: timeout=5, max=9\r\ncontent-length: 0\r\n\r\n',
      1,
    ],
    [
      'not in the last second of that',
      'HTTP/1.1 200 OK\r\nkeep-alive: timeout=1\r\ncontent-length: 0\r\n\r\n',
      2,
    ],
    ['not after connection: close', 'HTTP/1.1 200 OK\r\nConnection: Close\r\ncontent-length: 0\r\n\r\n', 2],
    ['not after HTTP/1.0', 'HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n', 2],
    [
      'not after surplus data',
      'HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nxHTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\ny',
      2,
    ],
  ])('%s', async (_, text, expected) => {
    const { exchange, connections } = await respond(text)
    const first = await exchange()
    expect(first).toMatchObject({ kind: 'answer' })
    await sleep(20)
    expect(await exchange()).toEqual(first)
    expect(connections()).toBe(expected)
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
    ['headers without an end', `HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(20_000)}`, 'broken'],
    ['compressed', 'HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 1\r\n\r\nx', 'encoded'],
    ['more bytes than allowed', 'HTTP/1.1 200 OK\r\ncontent-length: 1001\r\n\r\n', 'too large'],
    [
      'more bytes than allowed in chunks',
      `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3e9\r\n${'x'.repeat(1_001)}`,
      'too large',
    ],
    ['more bytes than allowed without a length', `HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(1_001)}`, 'too large'],
  ])('%s', async (_, text, kind) => {
    expect(await readAll(text)).toMatchObject({ kind })
  })
})

it('reads headers of the maximum length quickly', async () => {
  const readMs = async (filler: string) => {
    const head = `HTTP/1.1 200 OK\r\na: x${filler.repeat(32_000)}y\r\ncontent-length: 0\r\n\r\n`
    const { exchange } = await respond(head)
    const startedAt = performance.now()
    expect(await exchange()).toMatchObject({ status: 200 })
    return performance.now() - startedAt
  }
  await readMs('x')
  // Spaces cost no more than letters: a backtracking pattern would take seconds.
  expect(await readMs(' ')).toBeLessThan(100 * (await readMs('x')) + 500)
})
