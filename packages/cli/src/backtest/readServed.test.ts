import { describe, expect, it } from 'vitest'
import { NoServer, readServedMarks } from './readServed.ts'

const CORE = { core_tokens: [{ symbol: 'ETH', address: `0x${'0'.repeat(40)}` }] } as never
const request = { tokens: ['ETH'], fromS: 120, toS: 180 }
const answering = (status: number, body: unknown, paths: string[] = []) =>
  (async (path: string) => {
    paths.push(path)
    return new Response(JSON.stringify(body), { status })
  }) as unknown as typeof fetch
const SERVER = { url: 'http://pit.example/', profile: CORE }

describe('stored prices of a running server', () => {
  it('are read by symbol, and cut to the time that is tested', async () => {
    const paths: string[] = []
    const rows = [60, 120, 180, 240].map((minute) => [minute, `${minute}${'0'.repeat(18)}`, minute === 180])
    const get = answering(200, rows, paths)
    const expected = [
      { atS: 120, priceE18: 120n * 10n ** 18n, stale: false },
      { atS: 180, priceE18: 180n * 10n ** 18n, stale: true },
    ]
    expect(await readServedMarks(SERVER, request, get)).toEqual(new Map([['ETH', expected]]))
    const byAddress = { ...request, tokens: [`0x${'0'.repeat(40)}`] }
    expect([...(await readServedMarks(SERVER, byAddress, get)).values()]).toEqual([expected])
    expect(new Set(paths)).toEqual(new Set(['http://pit.example/marks/ETH.json']))
  })
  it.each([
    [404, {}, 'core tokens only'],
    [503, {}, 'status 503'],
    [200, { marks: {} }, 'not a list of prices'],
    [200, [[60, '1.5', false]], 'row 0'],
  ])('a wrong answer is refused: %s %j', async (status, body, why) => {
    await expect(readServedMarks(SERVER, request, answering(status, body))).rejects.toThrow(why)
  })
  it('a server that does not answer is told apart from a wrong answer', async () => {
    const get = (() => Promise.reject(new TypeError('fetch failed'))) as unknown as typeof fetch
    await expect(readServedMarks(SERVER, request, get)).rejects.toBeInstanceOf(NoServer)
  })
})
