import { describe, expect, it } from 'vitest'
import { dayUsedUsd, fillsOf, type LogRow, timelineOf } from './agentLog.ts'

const row = (id: number, fields: Partial<LogRow>): LogRow =>
  ({
    id,
    ts: 1_000 + id,
    tick: id,
    kind: 'decision',
    fee_bps: null,
    fee_class: null,
    fee_tier: null,
    ...fields,
  }) as LogRow
const order = { n: 0, pair: 'ETH/USDG', side: 'buy', usd: 20 }
const seen = { pairs: [], cash_usd: 100, equity_usd: 100, day_used_usd: 40, positions: [] }
const decided = (id: number, tick: number, outcome: object) =>
  row(id, {
    tick,
    message: 'buy',
    data: { seen, decided: [{ pair: 'ETH/USDG', side: 'buy', usd: 20, reason: 'why' }], outcome: [outcome] },
  })

describe('the timeline', () => {
  it('joins a decision with its trade and the trade’s receipt', () => {
    const hash = `0x${'ab'.repeat(32)}`
    const entries = timelineOf([
      row(3, { tick: 1, kind: 'watch', message: 'mined', data: { tx_hash: hash, order } }),
      row(2, { tick: 1, kind: 'trade', fee_bps: 25, data: { order, tx_hash: hash, amount_out_min: '5' } }),
      decided(1, 1, { n: 0, outcome: 'begun', usd: 20 }),
    ])
    expect(entries).toHaveLength(1)
    expect(entries[0]).toMatchObject({
      outcome: 'traded',
      reason: 'buy',
      seen: { cash_usd: 100 },
      rules: [{ hold: null }],
      trades: [{ txHash: hash, amountOut: '5', isMinimum: true, receipt: { message: 'mined' } }],
    })
  })

  it('names the rule that blocked an order once', () => {
    const [entry] = timelineOf([
      row(2, { tick: 1, kind: 'hold', code: 'MAX_DAY', message: 'too much', data: { order } }),
      decided(1, 1, { n: 0, outcome: 'held', code: 'MAX_DAY', message: 'too much' }),
    ])
    expect(entry).toMatchObject({ outcome: 'blocked', rules: [{ hold: { code: 'MAX_DAY' } }], problems: [] })
  })

  it('shows decisions without an order that follow each other as one', () => {
    const idle = (id: number) => row(id, { message: `idle ${id}`, data: { seen, decided: [], outcome: [] } })
    const event = row(3, { tick: 2, kind: 'state', code: 'PAUSED', message: 'paused' })
    const entries = timelineOf([idle(5), idle(4), event, idle(2), idle(1)])
    expect(entries.map(({ outcome, reason, more }) => [outcome, reason, more])).toEqual([
      ['idle', 'idle 5', 1],
      ['event', 'paused', 0],
      ['idle', 'idle 2', 1],
    ])
  })

  it('shows a failed tick as failed', () => {
    const rows = [row(1, { kind: 'error', code: 'WEBHOOK_TIMEOUT', message: 'no response' })]
    expect(timelineOf(rows)[0]).toMatchObject({ outcome: 'failed', code: 'WEBHOOK_TIMEOUT', trades: [] })
  })
})

it('fills of a pair are those of its trades, oldest first', () => {
  const other = { ...order, pair: 'cbBTC/USDG' }
  const rows = [
    row(3, { kind: 'trade', data: { order, at: 30, paper: true } }),
    row(2, { kind: 'trade', data: { order: other, at: 20 } }),
    row(1, { kind: 'trade', data: { order: { ...order, side: 'sell' }, at: 10 } }),
  ]
  expect(fillsOf(rows, 'ETH/USDG')).toEqual([
    { atS: 10, side: 'sell', text: '$20.00' },
    { atS: 30, side: 'buy', text: '$20.00' },
  ])
})

it('the day’s use counts the newest decision’s own orders', () => {
  expect(dayUsedUsd([decided(1, 1, { n: 0, outcome: 'begun', usd: 20 })])).toBe(60)
  expect(dayUsedUsd([row(1, { kind: 'error' })])).toBeNull()
})
