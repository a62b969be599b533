import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, it } from 'vitest'

let body: object = {}
const server = createServer((_, response) => response.end(JSON.stringify(body)))
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
afterAll(() => server.close())

const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`
const health = { status: 'ok', service: 'pit', version: '1' }
const counts = { by_tier: {}, by_kind: {}, by_risk: {}, blocked_by_reason: {} }
const stats = { total: 1, tradable: 1, ...counts, generated_at: 1, cached_s: 0 }
const advice = { retry: 'different_request', hint: 'Read it.' }
const refused = { code: 'BAD_REQUEST', message: 'No.', field: 'wallet', ...advice }

it.each([
  ['a documented answer', '/health', health, true],
  ['an undocumented field', '/health', { ...health, more: 1 }, false],
  ['a missing field', '/health', { status: 'ok' }, false],
  ['a refusal with its extras', '/health', { error: refused }, true],
  ['a refusal with other extras', '/health', { error: { ...refused, diffs: [] } }, false],
  ['a path that a parameter would fit too', '/tokens/stats', stats, true],
  ['a path that is not a route', '/nothing', { more: 1 }, true],
])('stops a story on answers that are not as documented: %s', async (_, path, answer, passes) => {
  body = answer
  const response = fetch(`${url}${path}`).then((response) => response.json())
  await (passes
    ? expect(response).resolves.toEqual(answer)
    : expect(response).rejects.toThrow('not as documented'))
})
