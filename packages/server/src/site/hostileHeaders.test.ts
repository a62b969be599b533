import { fileURLToPath } from 'node:url'
import { GOOD_KEY } from '@pit/http/test/edgeClient'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../../test/testApp.ts'
import { guidePages } from './guidePages.ts'

const BYTES = 15_000
const ROUNDS = 10
const folder = fileURLToPath(new URL('../../../../docs', import.meta.url))
const ABOUT = { version: '1.2.3', publicUrl: 'http://localhost:4663/', folder }
const fill = (text: string): string => text.repeat(Math.ceil(BYTES / text.length)).slice(0, BYTES)
const ordinary = fill('abcdefghij')
const bearer = { authorization: `Bearer ${GOOD_KEY}` }

let app: TestApp
beforeAll(async () => {
  app = await openTestApp({ site: guidePages(ABOUT) })
  expect((await app.inject({ url: '/guide' })).status).toBe(200)
})
afterAll(() => app.close())

/** Processor time of one request, client included. */
async function cpuOf(url: string, headers: Record<string, string>): Promise<number> {
  app.time.nowMs += 10_000
  const start = process.cpuUsage()
  await app.inject({ url, headers })
  const { user, system } = process.cpuUsage(start)
  return user + system
}

it.each([
  ['if-none-match', `a${fill(' ')}a`],
  ['if-none-match', fill('a,')],
  ['if-none-match', fill('"')],
  ['accept-encoding', `gzip${fill(' ')}x`],
  ['accept-encoding', fill('gzip;')],
  ['accept-encoding', fill('gzip;q=0.0')],
  ['authorization', `Bearer ${fill(' ')}x x`],
  ['content-type', `application/json${fill(' ')}x`],
  ['x-forwarded-for', fill('1.1.1.1,')],
  ['x-forwarded-for', fill('[')],
  ['x-request-id', fill('pit_w')],
  ['accept', fill('text/htm')],
  ['origin', fill('http://')],
  ['cookie', fill('= ;')],
])('reads a hostile %s as fast as an ordinary one of its size (%#)', async (name, hostile) => {
  const [path, key] = name === 'authorization' ? ['/api/v1/auth/me', {}] : ['/guide', bearer]
  const ms = { hostile: 0, ordinary: 0 }
  for (let round = 0; round < ROUNDS; round++) {
    ms.ordinary += await cpuOf(path, { ...key, [name]: ordinary })
    ms.hostile += await cpuOf(path, { ...key, [name]: hostile })
  }
  // Quadratic parsing took 100 times as long.
  expect(ms.hostile / ms.ordinary).toBeLessThan(5)
})
