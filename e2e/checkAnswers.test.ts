import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, it } from 'vitest'

let body: object = {}
const server = createServer((_, response) => response.end(JSON.stringify(body)))
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
afterAll(() => server.close())

const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`
const health = { status: 'ok', service: 'pit', version: '1' }
const refused = { code: 'BAD_REQUEST', message: 'No.', field: 'wallet' }

it.each([
  ['what a route documents', '/health', health, true],
  ['a field it does not', '/health', { ...health, more: 1 }, false],
  ['a missing field', '/health', { status: 'ok' }, false],
  ['a refusal with its extras', '/health', { error: refused }, true],
  ['a refusal with those of others', '/health', { error: { ...refused, diffs: [] } }, false],
  ['what is no route', '/nothing', { more: 1 }, true],
])('a story is stopped by answers that are not as documented: %s', async (_, path, answer, passes) => {
  body = answer
  const asked = fetch(`${url}${path}`).then((response) => response.json())
  await (passes ? expect(asked).resolves.toEqual(answer) : expect(asked).rejects.toThrow('not as documented'))
})
