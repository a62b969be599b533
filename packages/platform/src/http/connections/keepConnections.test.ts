import { mkdtempSync, rmSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, it } from 'vitest'
import { serveHttp as serve } from '../../../test/serveHttp.ts'
import type { ConnectionRequest } from './exchangeHandler.ts'
import { type KeepOptions, keepConnections } from './keepConnections.ts'

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

function keep(url: URL, more: Partial<KeepOptions> = {}) {
  const client = keepConnections({ url, maxConnections: 4, ...more })
  closing.push(client.close)
  return client
}
const ASK: ConnectionRequest = {
  method: 'GET',
  path: '/asked?of=it',
  timeoutMs: 5_000,
  maxAnswerBytes: 1_000,
}
const peer: RequestListener = (request, response) => response.end(`${request.socket.remotePort}`)

it('sends method, path, headers, credentials and body, and returns status, headers and text', async () => {
  const { url } = await serve(async (request, response) => {
    const body = Buffer.concat(await request.toArray())
    const { 'x-mine': mine, authorization, host } = request.headers
    response.writeHead(418, { 'x-own': 'yes' })
    response.end(`${request.method} ${request.url} ${mine} ${authorization} ${host} ${body}`)
  })
  url.username = 'me'
  url.password = 'p%40ss'
  const answer = await keep(url).exchange({
    ...ASK,
    method: 'POST',
    body: 'grüße',
    headers: { 'x-mine': '1' },
  })
  const text = `POST /asked?of=it 1 Basic ${btoa('me:p@ss')} ${url.host} grüße`
  expect(answer).toMatchObject({ kind: 'answer', status: 418, text, headers: { 'x-own': 'yes' } })
})

it('reuses a connection, one request at a time, and reports when a kept one was closed', async () => {
  let requests = 0
  const { url } = await serve((request, response) => {
    if (++requests === 3) request.socket.destroy()
    else peer(request, response)
  })
  const client = keep(url, { maxConnections: 1 })
  const [first, second] = await Promise.all([client.exchange(ASK), client.exchange(ASK)])
  expect(second).toEqual({ ...second, text: first.kind === 'answer' && first.text })
  expect(await client.exchange(ASK)).toMatchObject({
    kind: 'broken',
    code: 'ECONNRESET',
    onStaleConnection: true,
  })
  const again = await client.exchange(ASK)
  expect(again).toMatchObject({ kind: 'answer' })
  expect(again).not.toMatchObject({ text: first.kind === 'answer' && first.text })
})

it('uses several connections up to the limit, and queues the rest', async () => {
  let most = 0
  let now = 0
  const { url } = await serve(async (_, response) => {
    most = Math.max(most, ++now)
    await sleep(20)
    now -= 1
    response.end('x')
  })
  const client = keep(url)
  const answers = await Promise.all(Array.from({ length: 10 }, () => client.exchange(ASK)))
  expect(answers.every(({ kind }) => kind === 'answer')).toBe(true)
  expect(most).toBe(4)
})

it('knows what was never reached from what broke off and from what took too long', async () => {
  const cut = await serve((request) => request.socket.destroy())
  const client = keep(cut.url)
  expect(await client.exchange(ASK)).toMatchObject({ kind: 'broken', onStaleConnection: false })
  const half = await serve((_, response) => {
    response.writeHead(200, { 'content-length': '10' })
    response.write('x', () => response.destroy())
  })
  expect(await keep(half.url).exchange(ASK)).toMatchObject({ kind: 'broken', onStaleConnection: false })
  await new Promise((resolve) => cut.server.close(resolve))
  expect(await client.exchange(ASK)).toMatchObject({ kind: 'unreachable', code: 'ECONNREFUSED' })
  const silent = keep((await serve(() => {})).url, { maxConnections: 1 })
  const [slow, waited] = await Promise.all([
    silent.exchange({ ...ASK, timeoutMs: 80 }),
    silent.exchange({ ...ASK, timeoutMs: 40 }),
  ])
  expect(slow).toMatchObject({ kind: 'timeout' })
  // It was never sent, so it had no effect.
  expect(waited).toMatchObject({ kind: 'unreachable' })
})

it('does not reuse a connection that was closed, dropped, or idle for long', async () => {
  const { url, server } = await serve(peer)
  const client = keep(url)
  const ask = async () => {
    const answer = await client.exchange(ASK)
    return answer.kind === 'answer' ? answer.text : answer
  }
  const first = await ask()
  expect(await ask()).toBe(first)
  server.closeAllConnections()
  await sleep(20)
  const second = await ask()
  expect(second).not.toBe(first)
  client.dropIdle()
  expect(await ask()).not.toBe(second)
  await expect(client.exchange(ASK)).resolves.toMatchObject({ kind: 'answer' })
})

it('honours the keep-alive timeout of the server', async () => {
  const { url, server } = await serve(peer)
  server.keepAliveTimeout = 1_000
  const client = keep(url)
  const first = await client.exchange(ASK)
  expect(await client.exchange(ASK)).not.toMatchObject({ text: first.kind === 'answer' && first.text })
})

it('ends running and queued requests when it is closed', async () => {
  const { url } = await serve(() => {})
  const client = keep(url, { maxConnections: 1 })
  const both = Promise.all([client.exchange(ASK), client.exchange(ASK)])
  await sleep(50)
  client.close()
  expect(await both).toMatchObject([{ kind: 'broken' }, { kind: 'unreachable' }])
})

it('sends nothing of a request that timed out in the queue', async () => {
  const paths: (string | undefined)[] = []
  const { url } = await serve(async (request, response) => {
    paths.push(request.url)
    await sleep(100)
    response.end('x')
  })
  const client = keep(url, { maxConnections: 1 })
  const [first, second] = await Promise.all([
    client.exchange({ ...ASK, path: '/first' }),
    client.exchange({ ...ASK, path: '/second', timeoutMs: 30 }),
  ])
  expect([first, second]).toMatchObject([{ kind: 'answer' }, { kind: 'unreachable' }])
  expect(await client.exchange({ ...ASK, path: '/third' })).toMatchObject({ kind: 'answer' })
  await sleep(200)
  expect(paths).toEqual(['/first', '/third'])
})

it('sends a request once, even if the connection closes under it', async () => {
  const paths: (string | undefined)[] = []
  const { url } = await serve((request, response) => {
    paths.push(request.url)
    if (request.url === '/lost') request.socket.end()
    else response.end('x')
  })
  const client = keep(url, { maxConnections: 1 })
  await client.exchange(ASK)
  const lost = { ...ASK, method: 'POST', path: '/lost', body: 'raw' } as const
  expect(await client.exchange(lost)).toMatchObject({ kind: 'broken', onStaleConnection: true })
  expect(await client.exchange({ ...lost, method: 'GET' })).toMatchObject({ kind: 'broken' })
  await sleep(50)
  expect(paths).toEqual([ASK.path, '/lost', '/lost'])
})

it('connects to a Unix socket', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'pit-kept-'))
  closing.push(() => rmSync(directory, { recursive: true }))
  const socketPath = join(directory, 'socket')
  const client = keep(new URL('http://localhost/'), { socketPath })
  expect(await client.exchange(ASK)).toMatchObject({ kind: 'unreachable', code: 'ENOENT' })
  await serve((_, response) => response.end('here'), socketPath)
  expect(await client.exchange(ASK)).toMatchObject({ text: 'here' })
})

it('rejects an invalid header', async () => {
  const { url } = await serve((_, response) => response.end())
  const client = keep(url)
  await expect(client.exchange({ ...ASK, headers: { authorization: 'a\nb' } })).rejects.toThrow(
    /authorization/,
  )
})
