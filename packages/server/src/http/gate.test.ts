import { bearer, errorOf, ME } from '@pit/http/test/edgeClient'
import { createMetrics } from '@pit/platform/monitoring'
import { afterEach, describe, expect, it } from 'vitest'
import { openTestApp } from '../../test/testApp.ts'
import type { Geo } from '../compliance/geo.ts'

let app: Awaited<ReturnType<typeof openTestApp>>
const open = async (options: Parameters<typeof openTestApp>[0] = {}) => {
  app = await openTestApp(options)
  return app
}
afterEach(() => app.close())

describe('where a request is from', () => {
  const geo: Geo = {
    locate: (address) =>
      address.startsWith('5.')
        ? { country: 'IR', region: null }
        : address.startsWith('91.')
          ? { country: 'UA', region: 'UA-43' }
          : null,
  }
  it.each<[string, Record<string, string>, number]>([
    ['no header, nowhere', {}, 200],
    ['the database alone', { 'x-forwarded-for': '5.1.1.1' }, 451],
    ['a header that denies it', { 'x-forwarded-for': '5.1.1.1', 'cf-ipcountry': 'US' }, 451],
    ['a country without its region', { 'x-forwarded-for': '91.1.1.1', 'cf-ipcountry': 'UA' }, 451],
    ['another region', { 'x-forwarded-for': '91.1.1.1', 'cf-ipcountry': 'UA', 'cf-region-code': '30' }, 451],
    ['the header alone', { 'x-forwarded-for': '8.8.8.8', 'cf-ipcountry': 'KP' }, 451],
    ['neither', { 'x-forwarded-for': '8.8.8.8', 'cf-ipcountry': 'US' }, 200],
  ])('%s: %j is %s', async (_what, headers, status) => {
    await open({ geo })
    expect((await app.inject({ url: ME, headers: { ...bearer, ...headers } })).status).toBe(status)
  })
})

it('reports a store outage without a stack per request, and counts no defect', async () => {
  const metrics = createMetrics({ withProcess: false })
  const gone = Object.assign(new Error('terminating connection due to administrator command'), {
    code: '57P01',
  })
  await open({ metrics, authenticate: () => Promise.reject(gone) })
  const answer = await app.inject({ url: ME, headers: bearer })
  expect([answer.status, errorOf(answer)['code'], answer.headers['retry-after']]).toEqual([
    503,
    'ENGINE_UNAVAILABLE',
    '5',
  ])
  expect(answer.text).not.toContain('administrator')
  expect(app.log.join()).not.toMatch(/unexpected exception|gate\.test\.ts/)
  expect(await metrics.registry.metrics()).not.toMatch(/pit_http_defects_total\{[^}]*\} [1-9]/)
})

it('names the registry when tokens cannot be read from the store', async () => {
  const gone = Object.assign(new Error('terminating connection'), { code: '57P01' })
  await open({ handlers: { 'tokens.search': () => Promise.reject(gone) } })
  const answer = await app.inject({ url: '/api/v1/tokens?q=x', headers: bearer })
  expect([answer.status, errorOf(answer)['code'], answer.headers['retry-after']]).toEqual([
    503,
    'REGISTRY_UNAVAILABLE',
    '5',
  ])
})
