import type { Sql } from '@pit/platform/db'
import { createManualClock } from '@pit/platform/test/manualClock'
import { expect, it } from 'vitest'
import { openTestApp } from '../../test/testApp.ts'
import { recordPages } from './recordPages.ts'

const DECIDED = {
  ...{ number: 1, starts_at_s: 100_000, ends_at_s: 200_000, state: 'decided', missed: false },
  ...{ decided_at_s: 300_000, outcome: null, rules_version: 2 },
}

it('serves the parts of a decided season, each read once a minute for all readers', async () => {
  const queries: string[] = []
  const sql = {
    query: async (text: string, [number]: unknown[]) => {
      queries.push(text)
      if (text.includes('from league_seasons')) return number === 1 ? [DECIDED] : []
      return text.includes('from marks')
        ? [{ minute_s: 120_000, price_e18: '5', source: 'feed', stale: false }]
        : []
    },
  } as unknown as Sql
  const clock = createManualClock(0)
  const app = await openTestApp({ site: recordPages({ sql, clock }) })
  const marks = `/league/records/1/marks-0x${'ab'.repeat(20)}.json`
  const answers = await Promise.all([1, 2, 3].map(() => app.inject({ url: marks })))
  for (const { status, text, headers } of answers) {
    expect([status, text]).toEqual([200, '[[120000,"5"]]'])
    expect(headers['cache-control']).toBe('public, max-age=60')
  }
  expect(queries.filter((text) => text.includes('from marks'))).toHaveLength(1)
  expect((await app.inject({ url: '/league/records/1/season.json' })).json()).toMatchObject({
    rulesVersion: 2,
    entries: 0,
    reserveBefore: '0',
  })
  for (const path of [
    '2/season.json',
    '01/season.json',
    '1/other.json',
    '1/entries-00.json',
    '1/marks-0xAB.json',
  ])
    expect((await app.inject({ url: `/league/records/${path}` })).status).toBe(404)
  await app.close()
})
