import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { serveHttp } from '../../test/serveHttp.ts'
import { createPassThrough } from './passThrough.ts'
import type { AddressHealth } from './types.ts'

const BOUND = { timeoutMs: 5_000, maxAnswerBytes: 1_000 }

function openAt(urls: readonly URL[], states: AddressHealth['state'][] = urls.map(() => 'up')) {
  return createPassThrough({
    urls: urls.map(({ href }) => href),
    health: () => states.map((state) => ({ state })),
    maxConnections: 2,
    maxCalls: 5,
  })
}

it('bounds running and queued calls, and rejects the rest at once', async () => {
  let atOnce = 0
  let mostAtOnce = 0
  let total = 0
  const { url } = await serveHttp(async (_, response) => {
    total += 1
    mostAtOnce = Math.max(mostAtOnce, ++atOnce)
    await sleep(20)
    atOnce -= 1
    response.end('{"result":"0x1"}')
  })
  const node = openAt([url])
  const all = await Promise.allSettled(Array.from({ length: 30 }, () => node.request('eth_call', [], BOUND)))
  const refused = all.filter((one) => one.status === 'rejected')
  expect(refused.map(({ reason }) => reason.why)).toEqual(Array.from({ length: 25 }, () => 'busy'))
  expect([mostAtOnce, total]).toEqual([2, 5])
  expect(await node.request('eth_call', [], BOUND)).toBe('0x1')
  node.close()
})

it('stops reading a response that is too long', async () => {
  let sentBytes = 0
  const { url } = await serveHttp(async (_, response) => {
    response.on('error', () => {})
    while (!response.destroyed && sentBytes < 64 * 1024 * 1024) {
      sentBytes += 65_536
      if (!response.write('x'.repeat(65_536)))
        await Promise.race([
          new Promise((drained) => response.once('drain', drained)),
          new Promise((closed) => response.once('close', closed)),
        ])
    }
  })
  const node = openAt([url])
  await expect(node.request('eth_call', [], BOUND)).rejects.toMatchObject({ why: 'large' })
  await expect.poll(() => sentBytes).toBeLessThan(16 * 1024 * 1024)
  node.close()
})

it.each([
  ['429', 'busy'],
  ['html', 'silent'],
  ['hang', 'slow'],
] as const)('sends a call once to a node that responds with %s', async (way, why) => {
  let requests = 0
  const { url } = await serveHttp((_, response) => {
    requests += 1
    if (way === '429') response.writeHead(429, { 'retry-after': '1' }).end()
    if (way === 'html') response.writeHead(502).end('<html>')
  })
  const { url: other } = await serveHttp((_, response) => {
    requests += 100
    response.end('{"result":"0x1"}')
  })
  const node = openAt([url, other])
  await expect(node.request('eth_call', [], { ...BOUND, timeoutMs: 200 })).rejects.toMatchObject({ why })
  expect(requests).toBe(1)
  node.close()
})

it('sends nothing to a node that is rate limiting or down', async () => {
  let requests = 0
  const { url } = await serveHttp((_, response) => {
    requests += 1
    response.end('{"result":"0x1"}')
  })
  for (const state of ['busy', 'down', 'foreign', 'lagging'] as const) {
    const node = openAt([url], [state])
    await expect(node.request('eth_call', [], BOUND)).rejects.toMatchObject({ why: 'busy' })
    node.close()
  }
  expect(requests).toBe(0)
})
