import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startAnswering } from '../../test/malformations.ts'
import { createVendor, fieldAt, VendorRefused } from './vendor.ts'

let server: Awaited<ReturnType<typeof startAnswering>>
beforeAll(async () => {
  server = await startAnswering()
})
afterAll(() => server.close())

function open() {
  const time = { nowMs: 1_800_000_000_000 }
  const rate = { perMinute: 60_000, burst: 1_000 }
  const vendor = createVendor({ rate, timeoutMs: 5_000, clock: { nowMs: () => time.nowMs } })
  const ask = (read: () => unknown = () => 'read') =>
    vendor.ask({ url: server.url }, read).catch((error) => (error as VendorRefused).code)
  return { ask, time }
}
const answers = (status: number, headers: Record<string, string> = {}) =>
  server.willAnswer((response: ServerResponse) => {
    response.writeHead(status, headers).end('{}')
  })

it('pauses 1 s after a 429 without Retry-After, doubling each time up to a minute', async () => {
  const { ask, time } = open()
  answers(429)
  for (const restS of [1, 2, 4, 8, 16, 32, 60, 60]) {
    const before = server.asked.length
    expect(await ask()).toBe('RESTING')
    time.nowMs += restS * 1_000 - 1
    expect(await ask()).toBe('RESTING')
    expect(server.asked.length - before).toBe(1)
    time.nowMs += 1
  }
  answers(200)
  expect(await ask()).toBe('read')
  answers(429)
  expect(await ask()).toBe('RESTING')
  answers(200)
  time.nowMs += 1_000
  expect(await ask()).toBe('read')
})

it.each([
  [429, { 'retry-after': '90' }, 90],
  [429, { 'retry-after': '999999999' }, 3_600],
  [429, { 'retry-after': new Date(1_800_000_045_000).toUTCString() }, 45],
  [503, { 'retry-after': '20' }, 20],
])('pauses after %i with %o for %i s', async (status, headers, restS) => {
  const { ask, time } = open()
  answers(status, headers)
  await ask()
  answers(200)
  time.nowMs += restS * 1_000 - 1
  expect(await ask()).toBe('RESTING')
  time.nowMs += 1
  expect(await ask()).toBe('read')
})

it('does not pause after a 503 without Retry-After', async () => {
  const { ask } = open()
  answers(503)
  await ask()
  answers(200)
  expect(await ask()).toBe('read')
})

it('pauses when the JSON reports rate limiting despite status 200', async () => {
  const { ask, time } = open()
  answers(200)
  const refuse = () => {
    throw new VendorRefused('RESTING')
  }
  expect(await ask(refuse)).toBe('RESTING')
  const before = server.asked.length
  expect([await ask(), server.asked.length - before]).toEqual(['RESTING', 0])
  time.nowMs += 1_000
  expect(await ask()).toBe('read')
})

it('does not reveal a header that cannot be sent', async () => {
  const { time } = open()
  const rate = { perMinute: 60, burst: 60 }
  const vendor = createVendor({ rate, timeoutMs: 5_000, clock: { nowMs: () => time.nowMs } })
  const sent = vendor.ask({ url: server.url, headers: { 'x-key': 'secret\nkey' } }, () => 'read')
  await expect(sent).rejects.toThrow(/^Unreachable\.$/)
})

it('reads own properties only', () => {
  const body = JSON.parse('{"a":[{"b":1}],"__proto__":{"c":2}}')
  expect(fieldAt(body, 'a', 0, 'b')).toBe(1)
  expect(fieldAt(body, 'toString')).toBeUndefined()
  expect(fieldAt(body, 'a', 'length', 'b')).toBeUndefined()
  expect(fieldAt('text', 'length')).toBeUndefined()
  expect(fieldAt(undefined, 'a')).toBeUndefined()
})
