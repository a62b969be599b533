import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fillSchema, type Schema, strictProblem } from './fillSchema.ts'
import { decideOrders, quotedJson, readMarket } from './trader.ts'

it('finds JSON within any text', () => {
  const prose = fc.string().map((text) => text.replace(/[{}[\]"\\]/g, ' '))
  fc.assert(
    fc.property(prose, fc.dictionary(fc.string(), fc.jsonValue()), prose, (before, value, after) => {
      const text = JSON.stringify(value)
      expect(quotedJson(`${before}${text}${after}`)).toEqual([JSON.parse(text)])
    }),
  )
})

it('never stalls on unbalanced text', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('{', '[', '"', '\\', 'a', '}'), maxLength: 300 }),
      (text) => void quotedJson(text),
    ),
  )
})

it('gives up on a megabyte of brackets', () => {
  expect(quotedJson('['.repeat(1_000_000))).toEqual([])
})

it('orders only listed pairs, within the limits, however the market is written', () => {
  const symbol = fc.constantFrom('ETH', 'NVDA', 'SPY', 'cbBTC', 'PARTNER')
  const row = fc.record({
    pair: symbol.map((s) => `${s}/USDG`),
    price: fc.double({ noNaN: true }),
    change_bps: fc.integer(),
  })
  fc.assert(
    fc.property(
      fc.array(row),
      fc.integer({ min: 1, max: 10_000 }),
      fc.integer({ min: 0, max: 9 }),
      (market, cap, max) => {
        const shapes = [
          { market, max_trade_usd: cap, max_orders: max },
          {
            limits: { max_trade_usd: cap, max_orders: max },
            pairs: Object.fromEntries(market.map((r) => [r.pair, r])),
          },
        ]
        for (const shape of shapes) {
          const orders = decideOrders(readMarket([shape]))
          expect(orders.length).toBeLessThanOrEqual(max)
          for (const order of orders) {
            expect(market.map((r) => r.pair)).toContain(order.pair)
            expect(order.usd).toBeGreaterThanOrEqual(1)
            expect(order.usd).toBeLessThanOrEqual(cap)
          }
        }
      },
    ),
  )
})

it('fills nested schemas: refs, nullables, enums, bounds', () => {
  const schema: Schema = {
    type: 'object',
    additionalProperties: false,
    required: ['action', 'orders', 'note', 'version'],
    $defs: {
      order: {
        type: 'object',
        additionalProperties: false,
        required: ['pair', 'side', 'usd'],
        properties: {
          pair: { type: 'string' },
          side: { enum: ['BUY', 'SELL'], type: 'string' },
          usd: { type: 'integer', minimum: 1, maximum: 7 },
        },
      },
    },
    properties: {
      action: { type: 'string', enum: ['hold', 'trade'] },
      orders: { type: 'array', maxItems: 1, items: { $ref: '#/$defs/order' } },
      note: { anyOf: [{ type: 'null' }, { type: 'string', maxLength: 5 }] },
      version: { const: 2 },
    },
  }
  expect(strictProblem(schema)).toBeUndefined()
  const order = { pair: 'ETH/USDG', side: 'sell' as const, usd: 30.5, reason: 'r' }
  expect(fillSchema(schema, [order, order])).toEqual({
    action: 'trade',
    orders: [{ pair: 'ETH/USDG', side: 'SELL', usd: 7 }],
    note: 'Placi',
    version: 2,
  })
  expect(fillSchema(schema, [])).toMatchObject({ action: 'hold', orders: [] })
})
