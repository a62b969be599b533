import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { createModelList } from './modelList.ts'

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

it('reports whether the gateway responds, with at most one check call every 15 seconds', async () => {
  let requests = 0
  let answer: RequestListener = (_, res) => void res.end('{"data":[]}')
  const server = createServer((req, res) => {
    requests++
    answer(req, res)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const time = { nowMs: 1_800_000_000_000 }
  const models = createModelList({
    gatewayUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    prices: { priced_per: 'million_tokens', models: {} },
    key: null,
    clock: { nowMs: () => time.nowMs },
    logger: { warn() {} },
  })
  for (let i = 0; i < 3; i++) await models.check()
  expect(requests).toBe(1)
  answer = (_, res) => void res.writeHead(503).end()
  time.nowMs += 15_000
  await expect(models.check()).rejects.toThrow('it returned status 503')
  await expect(models.check()).rejects.toThrow('it returned status 503')
  expect(requests).toBe(2)
  answer = (_, res) => void res.destroy()
  time.nowMs += 15_000
  await expect(models.check()).rejects.toThrow()
  answer = (_, res) => void res.end('{"data":[]}')
  time.nowMs += 15_000
  await models.check()
})
