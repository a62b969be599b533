import { request } from 'node:https'
import { until } from '@pit/platform/test/until'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasProxy, type ProxyProcess, startProxy } from './fleet/proxyProcess.ts'
import { freePort, type ServerProcess, startServerProcess } from './serverProcess.ts'

// The country by deploy/haproxy/haproxy.cfg and the settings of deploy/systemd/server.env.
const SETTINGS = {
  GEO_HEADER: 'x-pit-country',
  GEO_REGION_HEADER: 'x-pit-region',
  TRUSTED_PROXIES: '127.0.0.1',
}
/** Loopback addresses that stand for clients in different countries. */
const COUNTRIES = '127.0.0.2/32 CU\n127.0.0.3/32 UA-43\n127.0.0.4/32 UA-30\n127.0.0.5/32 DE\n'

describe.skipIf(!hasProxy)(`the shipped HAProxy${hasProxy ? '' : ' (not installed: skipped)'}`, () => {
  let server: ServerProcess
  let proxy: ProxyProcess
  beforeAll(async () => {
    const readyPort = await freePort()
    server = await startServerProcess({ ...SETTINGS, METRICS_PORT: String(readyPort), LOG_LEVEL: 'error' })
    const nowhere = { port: 9, readyPort: 9 }
    proxy = await startProxy([{ port: server.port, readyPort }, nowhere, nowhere], { countries: COUNTRIES })
    await until(async () => (await statusFor('127.0.0.5')) !== 503, { said: () => proxy.output() })
  })
  afterAll(async () => {
    await proxy?.stop()
    await server?.stop()
  })

  const statusFor = (localAddress: string, headers: Record<string, string> = {}) =>
    new Promise<number>((resolve, reject) => {
      const to = { host: '127.0.0.1', port: proxy.port, path: '/api/v1/config', ca: proxy.ca }
      const sent = request({ ...to, servername: 'localhost', localAddress, headers }, (answer) => {
        answer.resume()
        resolve(answer.statusCode!)
      })
      sent.on('error', reject).end()
    })

  it.each([
    ['127.0.0.2', 451],
    ['127.0.0.3', 451],
    ['127.0.0.4', 200],
    ['127.0.0.5', 200],
    ['127.0.0.6', 200],
  ])('reports the country of %s to the server', async (address, status) => {
    expect(await statusFor(address)).toBe(status)
  })

  it.each(['x-pit-country', 'X-Pit-Country', 'cf-ipcountry'])('drops a client’s own %s', async (name) => {
    expect(await statusFor('127.0.0.2', { [name]: 'DE' })).toBe(451)
    expect(await statusFor('127.0.0.5', { [name]: 'CU' })).toBe(200)
  })
  it('drops a client’s own region', async () => {
    expect(await statusFor('127.0.0.4', { 'x-pit-region': 'UA-43', 'cf-region-code': '43' })).toBe(200)
  })
})
