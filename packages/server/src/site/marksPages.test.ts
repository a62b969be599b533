import type { Sql } from '@pit/platform/db'
import { createManualClock } from '@pit/platform/test/manualClock'
import type { ChainProfile } from '@pit/protocol'
import { expect, it } from 'vitest'
import { openTestApp } from '../../test/testApp.ts'
import { marksPages } from './marksPages.ts'

const WETH = `0x${'Ab'.repeat(20)}` as const
const NOW_S = 1_800_000_000
const ROWS = `[[${NOW_S - 300},"2400000000000000000000",false],[${NOW_S - 60},"2500000000000000000000",false]]`

it('serves a core token’s stored marks, read once a minute for all readers', async () => {
  const queries: unknown[] = []
  const sql = {
    query: async (_: string, params: unknown[]) => {
      queries.push(params)
      return [
        { minute_s: NOW_S - 300, price_e18: '2400000000000000000000', source: 'feed', stale: false },
        { minute_s: NOW_S - 60, price_e18: '2500000000000000000000', source: 'feed', stale: false },
      ]
    },
  } as unknown as Sql
  const clock = createManualClock(NOW_S * 1_000)
  const profile = { core_tokens: [{ symbol: 'WETH', address: WETH }] } as unknown as ChainProfile
  const app = await openTestApp({ site: marksPages({ sql, clock, profile }) })
  const ask = () => app.inject({ url: '/marks/WETH.json' })
  const answers = await Promise.all([ask(), ask(), ask()])
  for (const { status, text, headers } of answers) {
    expect([status, text]).toEqual([200, ROWS])
    expect(headers['cache-control']).toBe('public, max-age=60')
  }
  expect(queries).toEqual([[WETH.toLowerCase(), NOW_S - 3 * 86_400, NOW_S, 4_321]])
  expect((await app.inject({ url: '/marks.json' })).json()).toEqual({
    WETH: [[NOW_S - 300, '2400000000000000000000', false]],
  })
  expect((await app.inject({ url: '/marks/NVDA.json' })).status).toBe(404)
  await app.close()
})
