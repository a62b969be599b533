import { mkdtempSync, rmSync } from 'node:fs'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { serveHttp as serve } from '../../test/serveHttp.ts'
import { ExchangeFailed, type ExchangeRequest, exchange, exchangeOrThrow } from './exchange.ts'

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

const ask = (url: URL, more: Partial<ExchangeRequest> = {}): ExchangeRequest => ({
  method: 'GET',
  url,
  timeoutMs: 5_000,
  maxAnswerBytes: 1_000,
  ...more,
})

it('sends a body and returns status, headers and text', async () => {
  const { url } = await serve(async (request, response) => {
    const chunks = await request.toArray()
    response.writeHead(418, { 'x-own': 'yes' })
    response.end(`${request.method} ${request.url} ${request.headers['x-mine']} ${Buffer.concat(chunks)}`)
  })
  const answer = await exchange(ask(url, { method: 'POST', body: 'grüße', headers: { 'x-mine': '1' } }))
  expect(answer).toMatchObject({ kind: 'answer', status: 418, text: 'POST /asked?of=it 1 grüße' })
  expect(answer.kind === 'answer' && answer.headers['x-own']).toBe('yes')
})

it('does not follow redirects', async () => {
  const { url } = await serve((request, response) => {
    response.writeHead(request.url === '/' ? 200 : 302, { location: '/' }).end()
  })
  expect(await exchange(ask(url))).toMatchObject({ kind: 'answer', status: 302 })
})

it('sends the credentials of the URL', async () => {
  const { url } = await serve((request, response) => response.end(request.headers.authorization))
  url.username = 'me'
  url.password = 'p%40ss'
  expect(await exchange(ask(url))).toMatchObject({ text: `Basic ${btoa('me:p@ss')}` })
})

it('bounds bytes and time, and rejects compressed responses', async () => {
  const large = await serve((_, response) => response.end('x'.repeat(1_001)))
  expect(await exchange(ask(large.url))).toMatchObject({ kind: 'too large' })
  const whole = await serve((_, response) => response.end('x'.repeat(1_000)))
  expect(await exchange(ask(whole.url))).toMatchObject({ kind: 'answer' })
  const silent = await serve(() => {})
  expect(await exchange(ask(silent.url, { timeoutMs: 50 }))).toMatchObject({ kind: 'timeout' })
  const slow = await serve((_, response) => response.write('x'))
  expect(await exchange(ask(slow.url, { timeoutMs: 50 }))).toMatchObject({ kind: 'timeout' })
  const zipped = await serve((_, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end('x'),
  )
  expect(await exchange(ask(zipped.url))).toMatchObject({ kind: 'encoded' })
})

it('knows what was never reached from what broke off', async () => {
  const { url, server } = await serve((request) => request.socket.destroy())
  expect(await exchange(ask(url))).toMatchObject({ kind: 'broken', code: 'ECONNRESET' })
  const half = await serve((_, response) => {
    response.writeHead(200, { 'content-length': '10' })
    response.write('x', () => response.destroy())
  })
  expect(await exchange(ask(half.url))).toMatchObject({ kind: 'broken', onStaleConnection: false })
  await new Promise((resolve) => server.close(resolve))
  expect(await exchange(ask(url))).toMatchObject({ kind: 'unreachable', code: 'ECONNREFUSED' })
  await expect(exchangeOrThrow(ask(url))).rejects.toBeInstanceOf(ExchangeFailed)
})

it('keeps connections alive if allowed, and reports when a kept one was closed', async () => {
  let requests = 0
  const { url } = await serve((request, response) => {
    if (++requests === 3) request.socket.destroy()
    else response.end(`${request.socket.remotePort}`)
  })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  closing.push(() => agent.destroy())
  const [first, second] = [
    await exchangeOrThrow(ask(url, { agent })),
    await exchangeOrThrow(ask(url, { agent })),
  ]
  expect(second.text).toBe(first.text)
  expect(await exchange(ask(url, { agent }))).toMatchObject({ kind: 'broken', onStaleConnection: true })
  expect((await exchangeOrThrow(ask(url, { agent }))).text).not.toBe(first.text)
})

it('connects to a Unix socket', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'pit-exchange-'))
  closing.push(() => rmSync(directory, { recursive: true }))
  const socketPath = join(directory, 'socket')
  const url = new URL('http://localhost/')
  expect(await exchange(ask(url, { socketPath }))).toMatchObject({ kind: 'unreachable', code: 'ENOENT' })
  await serve((_, response) => response.end('here'), socketPath)
  expect(await exchange(ask(url, { socketPath }))).toMatchObject({ text: 'here' })
})

it('rejects at once if it cannot be made, without a later failure', async () => {
  const { url } = await serve((_, response) => response.end())
  await expect(exchange(ask(url, { headers: { authorization: 'a\nb' } }))).rejects.toThrow(/authorization/)
})
