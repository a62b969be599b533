import type { OrderRow } from '@pit/client'
import { describe, expect, it } from 'vitest'
import { ETH, FACTS, USDG } from '../../test/facts.ts'
import { orderKind, priceWords } from './orders.ts'

const at = (kind: 'at_or_below' | 'at_or_above', usd: number) => ({
  kind,
  token: ETH,
  price_e18: `${usd}${'0'.repeat(18)}`,
})
const row = (change: object = {}) =>
  ({
    list: '0x01',
    order: {
      token_in: ETH,
      token_out: USDG,
      amount_in: `2${'0'.repeat(18)}`,
      min_amount_out: '0',
      max_slippage_bps: 100,
      trigger: { kind: 'none' },
      slices: 1,
      every_s: 0,
      starts_at: 0,
      expires_at: 2_000_000_000,
      group: 0,
      parent: 0,
      ...change,
    },
  }) as Pick<OrderRow, 'list' | 'order'>
const buying = { token_in: USDG, token_out: ETH, amount_in: '4800000000' }

describe('an order in words', () => {
  it.each([
    ['Market', '–', {}],
    ['Limit', '$2,400.00 or better', { min_amount_out: '4800000000' }],
    ['Limit', '$2,400.00 or better', { ...buying, min_amount_out: `2${'0'.repeat(18)}` }],
    ['Stop', 'at or below $2,000.00', { trigger: at('at_or_below', 2_000) }],
    ['Stop', 'at or above $2,000.00', { ...buying, trigger: at('at_or_above', 2_000) }],
    [
      'Take-profit',
      'at or above $3,000.00, then $2,900.00 or better',
      { trigger: at('at_or_above', 3_000), min_amount_out: '5800000000' },
    ],
    ['Take-profit', 'at or below $1,000.00', { ...buying, trigger: at('at_or_below', 1_000) }],
    [
      'Trailing stop',
      '5% below an earlier price',
      { trigger: { kind: 'trailing', token: ETH, trail_bps: 500 } },
    ],
    ['TWAP', '–', { slices: 4, every_s: 60 }],
  ])('%s, %s', (kind, price, change) => {
    const one = row(change)
    expect(orderKind(one, [one], USDG)).toBe(kind)
    expect(priceWords(one.order, FACTS, USDG)).toBe(price)
  })

  it('names the parts of a bracket', () => {
    const rows = [
      row(buying),
      row({ parent: 1, group: 1, trigger: at('at_or_below', 2_000) }),
      row({ parent: 1, group: 1, trigger: at('at_or_above', 3_000) }),
    ]
    expect(rows.map((one) => orderKind(one, rows, USDG))).toEqual([
      'Bracket entry',
      'Bracket stop',
      'Bracket take-profit',
    ])
  })
})
