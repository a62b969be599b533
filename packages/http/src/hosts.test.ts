import { request } from 'node:http'
import { createMetrics, serveMetrics } from '@pit/platform/monitoring'
import { describe, expect, it } from 'vitest'
import { createHosts } from './hosts.ts'

describe('createHosts', () => {
  const answersFor = createHosts({ publicUrl: 'https://api.pit.example', allowedHosts: ['pit.internal'] })
  it.each([
    'api.pit.example',
    'API.pit.example:443',
    'localhost:4663',
    '127.0.0.1',
    '[::1]:80',
    'pit.internal',
    'localhost.',
  ])('accepts %s', (host) => expect(answersFor(host)).toBe(true))
  it.each([
    undefined,
    '',
    'evil.example',
    'api.pit.example.evil',
    'a@localhost',
    'localhost/',
    'localhost:99999999',
    'x'.repeat(300),
  ])('refuses %s', (host) => expect(answersFor(host)).toBe(false))
  it('accepts any well-formed host under *', () => {
    const any = createHosts({ publicUrl: 'http://localhost', allowedHosts: ['*'] })
    expect([any('x.example'), any('bad host'), any(undefined)]).toEqual([true, false, false])
  })
})

it('keeps metrics from names that are not this server’s, and probes open to proxies', async () => {
  const isOwnHost = createHosts({ publicUrl: 'https://api.pit.example', allowedHosts: ['scraper.internal'] })
  const metrics = createMetrics({ withProcess: false })
  const served = await serveMetrics(metrics, { port: 0, isOwnHost, isReady: () => true })
  const read = (path: string, host: string) =>
    new Promise<[number, string]>((resolve, reject) => {
      const sent = request(
        { port: served.port, host: '127.0.0.1', path, headers: { host } },
        async (answer) => {
          resolve([answer.statusCode!, Buffer.concat(await answer.toArray()).toString()])
        },
      )
      sent.on('error', reject).end()
    })
  for (const host of ['localhost:4665', '127.0.0.1:4665', 'api.pit.example', 'scraper.internal:4665'])
    expect(await read('/metrics', host)).toEqual([200, expect.stringContaining('pit_rate_degraded')])
  for (const host of ['evil.example', 'evil.example:4665', 'localhost.evil.example']) {
    const [status, text] = await read('/metrics', host)
    expect([status, JSON.parse(text)]).toMatchObject([421, { error: { code: 'UNKNOWN_HOST' } }])
  }
  expect((await read('/ready', 'api1:4665'))[0]).toBe(200)
  await served.close()
})
