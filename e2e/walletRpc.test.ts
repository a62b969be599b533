import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ServerProcess, startServerProcess } from './serverProcess.ts'

// Anonymous floods of POST /rpc on the real server, with a stand-in for its node.
const BURST = 400
const MAX_AT_NODE = 8
const LARGE_BYTES = 32 * 1024 * 1024
const MAX_GROWTH_BYTES = 128 * 1024 * 1024
const SLOW_CALL_MS = 100

/** A chain without new blocks; eth_call is slow or its answer is huge, depending on its target. */
class StandInNode {
  atOnce = 0
  mostAtOnce = 0
  gases: unknown[] = []
  /** Reads by the server itself. */
  ownReads = 0
  largeSent = 0
  server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const message = JSON.parse(Buffer.concat(chunks).toString())
    if (message.method === 'eth_call' && message.params[0]?.to === TARGETS.slow)
      return this.answerSlowly(message, response)
    if (message.method === 'eth_call' && message.params[0]?.to === TARGETS.large)
      return this.answerAtLength(response)
    this.ownReads += 1
    const answers = [message].flat().map(({ id, method }) => ({ id, result: resultOf(method) }))
    response.end(JSON.stringify(Array.isArray(message) ? answers : answers[0]))
  })

  async answerSlowly({ id, params }: { id: number; params: { gas?: unknown }[] }, response: ServerResponse) {
    this.gases.push(params[0]?.gas)
    this.mostAtOnce = Math.max(this.mostAtOnce, ++this.atOnce)
    await sleep(SLOW_CALL_MS)
    this.atOnce -= 1
    response.end(JSON.stringify({ id, result: '0x1' }))
  }

  async answerAtLength(response: ServerResponse) {
    response.on('error', () => {})
    response.write('{"id":1,"result":"0x')
    const piece = 'ab'.repeat(32_768)
    const closed = new Promise((resolve) => response.once('close', resolve))
    for (let sent = 0; sent < LARGE_BYTES && !response.destroyed; sent += piece.length) {
      this.largeSent += piece.length
      if (!response.write(piece))
        await Promise.race([closed, new Promise((resolve) => response.once('drain', resolve))])
    }
    response.end('"}')
  }
}
const TARGETS = { slow: `0x${'51'.repeat(20)}`, large: `0x${'a9'.repeat(20)}` }
const resultOf = (method: string): unknown => {
  if (method === 'eth_chainId') return '0x1237'
  return method === 'eth_blockNumber' ? '0x64' : null
}

const node = new StandInNode()
let server: ServerProcess
beforeAll(async () => {
  await new Promise<void>((resolve) => node.server.listen(0, '127.0.0.1', resolve))
  const { port } = node.server.address() as AddressInfo
  server = await startServerProcess({ CHAIN_RPC_URL: `http://127.0.0.1:${port}`, LOG_LEVEL: 'error' })
})
afterAll(async () => {
  await server?.stop()
  node.server.close()
  node.server.closeAllConnections()
})

interface Answered {
  result?: string
  error?: { code: number; message: string }
}
/** From another client address each time, as in a distributed flood. */
async function callTo(to: string, i: number): Promise<Answered> {
  const answer = await fetch(`${server.url}/rpc`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': `10.9.${i >> 8}.${i & 255}` },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params: [{ to }, 'latest'] }),
  })
  expect(answer.status).toBe(200)
  return (await answer.json()) as Answered
}
const flood = (to: string) => Promise.all(Array.from({ length: BURST }, (_, i) => callTo(to, i)))
const readConfigs = () =>
  Promise.all(
    Array.from({ length: BURST }, async (_, i) => {
      const headers = { 'x-forwarded-for': `10.8.${i >> 8}.${i & 255}` }
      await (await fetch(`${server.url}/api/v1/config`, { headers })).text()
    }),
  )

/** Milliseconds of the slowest health check during other work. */
async function slowestHealthDuring(work: Promise<unknown>): Promise<number> {
  let isOver = false
  let slowestMs = 0
  const end = () => {
    isOver = true
  }
  work.then(end, end)
  for (let i = 0; !isOver; i++) {
    const startedMs = performance.now()
    const headers = { 'x-forwarded-for': `10.7.0.${i % 200}` }
    const { status } = await fetch(`${server.url}/api/v1/health`, { headers })
    expect(status).toBe(200)
    slowestMs = Math.max(slowestMs, performance.now() - startedMs)
    await sleep(5)
  }
  await work
  return slowestMs
}

it('sends at most eight calls of a flood to the node at once, and refuses the rest as busy', async () => {
  const ownBefore = node.ownReads
  const answers = await flood(TARGETS.slow)
  expect(node.mostAtOnce).toBeLessThanOrEqual(MAX_AT_NODE)
  const errors = answers.flatMap(({ error }) => error ?? [])
  expect(new Set(errors.map(({ code }) => code))).toEqual(new Set([-32_005]))
  expect(errors[0]!.message).toContain('Retry')
  expect(errors.length + node.gases.length).toBe(BURST)
  expect(new Set(node.gases)).toEqual(new Set([`0x${(10_000_000).toString(16)}`]))
  // The service's own reads use other connections: health probes continue.
  await expect.poll(() => node.ownReads).toBeGreaterThan(ownBefore)
})

it('stays small and answers health while a flood requests huge answers', async () => {
  await readConfigs()
  const usualMs = await slowestHealthDuring(readConfigs())
  const rssBefore = server.rssBytes()
  const answering = flood(TARGETS.large)
  const floodMs = await slowestHealthDuring(answering)
  const grownBytes = server.rssBytes() - rssBefore
  const megabytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MiB`
  console.log(
    `slowest health ${floodMs.toFixed(0)} ms, ${usualMs.toFixed(0)} ms beside as many reads of config; ` +
      `memory ${megabytes(rssBefore)}, then ${megabytes(grownBytes)} more; node sent ${megabytes(node.largeSent)}`,
  )
  for (const { error } of await answering) expect(error?.code).toBe(-32_005)
  expect(node.largeSent).toBeGreaterThan(0)
  expect(grownBytes).toBeLessThan(MAX_GROWTH_BYTES)
  expect(floodMs).toBeLessThan(5 * usualMs)
})
