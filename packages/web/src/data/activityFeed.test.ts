import { expect, it } from 'vitest'
import { ETH, FACTS, USDG } from '../../test/facts.ts'
import { type ActivitySources, activityFrom } from './activityFeed.ts'

/** As a lying server names it. */
const token = (address: string) => ({
  ...{ token: 'USDC', address, symbol: 'USDC', name: 'USDC', decimals: 2 },
})
const trade = (id: number, time: number): ActivitySources['trades'][number] => ({
  ...{ id, time, path: 'agent', status: 'mined', code: null, session_id: null },
  ...{ token_in: token(ETH), token_out: token(USDG) },
  ...{ amount_in: '10000000000000000', amount_out: '24900000', amount_out_kind: 'actual' },
  ...{ amount_out_min: '24000000', tx_hash: `0x${'ab'.repeat(32)}`, block: 7 },
})
const hold = (id: number, ts: number, code: string) => ({
  ...{ id, ts, kind: 'hold' as const, code, message: 'The price is old.' },
  ...{ fee_bps: null, fee_class: null, fee_tier: null },
})
const NONE: ActivitySources = { trades: [], sessions: [], agents: [], facts: FACTS, nowS: 100 }

it('lists the newest first, and wanted signatures before everything', () => {
  const signature = { id: 'w1', why: 'Above 50 USD' } as never
  const agents = [{ id: 'a', name: 'Bot', holds: [hold(1, 20, 'STALE_MARK')], wanted: [signature] }]
  const events = activityFrom({ ...NONE, trades: [trade(1, 10), trade(2, 30)], agents })
  expect(events.map(({ kind, atS }) => [kind, atS])).toEqual([
    ['approval', 100],
    ['trade', 30],
    ['hold', 20],
    ['trade', 10],
  ])
  expect(events[1]).toMatchObject({
    title: 'Traded: ETH for USDG',
    detail: '0.01 ETH → 24.9 USDG, by your wallet',
    href: `/tx/0x${'ab'.repeat(32)}`,
  })
})

it('counts the wanted signatures of each agent apart, also of agents with the same name', () => {
  const wants = (...ids: string[]) => ids.map((id) => ({ id }) as never)
  const agents = [
    { id: 'a', name: 'Bot', holds: [], wanted: wants('w3', 'w1') },
    { id: 'b', name: 'Bot', holds: [], wanted: wants('w2') },
    { id: 'c', name: 'Other', holds: [], wanted: [] },
  ]
  expect(activityFrom({ ...NONE, agents }).map(({ id, title, href }) => [id, title, href])).toEqual([
    ['approval w3', 'Bot waits for 2 signatures', '/agents/a'],
    ['approval w2', 'Bot waits for your signature', '/agents/b'],
  ])
})

it('joins repeated holds and keeps the id of the oldest, so that no new event appears', () => {
  const holds = [hold(9, 40, 'STALE_MARK'), hold(8, 30, 'STALE_MARK'), hold(7, 20, 'NO_BALANCE')]
  const events = activityFrom({ ...NONE, agents: [{ id: 'a', name: 'Bot', holds, wanted: [] }] })
  expect(events.map(({ id, atS, times }) => [id, atS, times])).toEqual([
    ['hold a 8', 40, 2],
    ['hold a 7', 20, 1],
  ])
})

it('reports the end of a session that expired', () => {
  const session = {
    ...{ session_id: 's', status: 'expired', created: 10, expires: 50, tokens: ['ETH', 'USDG'] },
  } as ActivitySources['sessions'][number]
  expect(activityFrom({ ...NONE, sessions: [session] }).map(({ title }) => title)).toEqual([
    'Session expired',
    'Session granted',
  ])
})
