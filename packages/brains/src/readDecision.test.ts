import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { INJECTIONS, OBEYED } from '../test/injections.ts'
import { type DecisionReading, type DecisionRequest, modelSchemaOf, readDecision } from './index.ts'

const SHARE = Number(process.env['ROUNDS_SHARE'] ?? 1)

const ASK: DecisionRequest = {
  pairs: ['ETH/USDG', 'cbBTC/USDG'],
  tokens: ['ETH', 'cbBTC', 'USDG'],
  maxTradeMicroUsd: 25_000_000n,
  maxOrders: 3,
}
const order = (change: Record<string, unknown> = {}) => ({
  pair: 'ETH/USDG',
  side: 'buy',
  usd: 10,
  reason: 'it rose',
  ...change,
})
const answer = (orders: unknown, more: Record<string, unknown> = {}) => ({ orders, reason: 'why', ...more })
const codeOf = (read: DecisionReading) => (read.ok ? 'ok' : read.code)

function expectInside(read: DecisionReading): void {
  if (!read.ok) return
  expect(read.decision.orders.length).toBeLessThanOrEqual(ASK.maxOrders)
  for (const { pair, side, microUsd } of read.decision.orders) {
    expect(ASK.pairs).toContain(pair)
    expect(['buy', 'sell']).toContain(side)
    expect(microUsd).toBeGreaterThanOrEqual(1_000_000n)
    expect(microUsd).toBeLessThanOrEqual(ASK.maxTradeMicroUsd)
  }
}

describe('readDecision', () => {
  it('reads a valid answer, as text or as a value, exact to the micro-dollar', () => {
    const honest = answer([order({ usd: 24.29 }), order({ pair: 'cbBTC/USDG', side: 'sell', usd: 25 })])
    const read = readDecision(JSON.stringify(honest), ASK)
    expect(read).toEqual(readDecision(honest, ASK))
    expect(read).toMatchObject({
      ok: true,
      decision: { orders: [{ microUsd: 24_290_000n }, { side: 'sell', microUsd: 25_000_000n }], state: null },
    })
  })
  it('holds without orders', () => {
    expect(readDecision('{"orders":[],"reason":"quiet"}', ASK)).toMatchObject({
      ok: true,
      decision: { reason: 'quiet' },
    })
  })

  it.each([
    ['', 'AI_MALFORMED'],
    ['buy ETH', 'AI_MALFORMED'],
    ['[]', 'AI_MALFORMED'],
    ['null', 'AI_MALFORMED'],
    ['{"orders":[],"reason":""}{"orders":[],"reason":""}', 'AI_MALFORMED'],
    ['```json\n{"orders":[],"reason":""}\n```', 'AI_MALFORMED'],
    ['{"orders":[],"reason":"a","reason":"b"}', 'AI_MALFORMED'],
    ['{"orders":[],"\\u006frders":[],"reason":"b"}', 'AI_MALFORMED'],
    ['{"orders":[],"reason":"","__proto__":{}}', 'AI_MALFORMED'],
    [`{"orders":[],"reason":"${'x'.repeat(70_000)}"}`, 'AI_MALFORMED'],
    [{}, 'AI_SCHEMA'],
    [answer(undefined), 'AI_SCHEMA'],
    [answer([], { to: '0xdead' }), 'AI_SCHEMA'],
    [answer([order({ calldata: '0x' })]), 'AI_SCHEMA'],
    [answer([order({ side: 'hold' })]), 'AI_SCHEMA'],
    [answer([order({ usd: '10' })]), 'AI_SCHEMA'],
    [answer([order({ reason: undefined })]), 'AI_SCHEMA'],
    [answer([], { reason: 'x'.repeat(1_001) }), 'AI_SCHEMA'],
    [answer([], { state: {} }), 'AI_SCHEMA'],
    [answer([order({ pair: 'SCAM/USDG' })]), 'AI_TOKEN'],
    [answer([order({ pair: '0x000000000000000000000000000000000000dEaD' })]), 'AI_TOKEN'],
    [answer([order({ pair: 'eth/usdg' })]), 'AI_TOKEN'],
    [answer([order({ pair: 'USDG/ETH' })]), 'AI_PAIR'],
    [answer([order({ pair: 'ETH' })]), 'AI_PAIR'],
    [answer([order({ pair: '' })]), 'AI_PAIR'],
    [answer([order({ usd: 0.99 })]), 'AI_SIZE'],
    [answer([order({ usd: 25.000_001 })]), 'AI_SIZE'],
    [answer([order({ usd: -5 })]), 'AI_SIZE'],
    ['{"orders":[{"pair":"ETH/USDG","side":"buy","usd":1e400,"reason":""}],"reason":""}', 'AI_SCHEMA'],
    [answer([order({ usd: 1e300 })]), 'AI_SIZE'],
    [answer([order(), order(), order(), order()]), 'AI_TOO_MANY'],
    [answer(Array.from({ length: 100 }, () => 'x')), 'AI_TOO_MANY'],
  ])('refuses %j', (payload, code) => {
    expect(codeOf(readDecision(payload, ASK))).toBe(code)
  })

  it('keeps a webhook’s state, up to its maximum size', () => {
    const takesState = { ...ASK, takesState: true }
    expect(readDecision(answer([], { state: { seen: 3 } }), takesState)).toMatchObject({
      decision: { state: { seen: 3 } },
    })
    // Null clears the state; without the field it is kept.
    expect(readDecision(answer([], { state: null }), takesState)).toMatchObject({
      decision: { state: null },
      keepsState: false,
    })
    expect(readDecision(answer([]), takesState)).toMatchObject({
      decision: { state: null },
      keepsState: true,
    })
    expect(codeOf(readDecision(answer([], { state: null }), ASK))).toBe('AI_SCHEMA')
    for (const state of [[1], 'none', 0, false]) {
      expect(codeOf(readDecision(answer([], { state }), takesState))).toBe('AI_SCHEMA')
    }
    expect(codeOf(readDecision(answer([], { state: { x: 'y'.repeat(9_000) } }), takesState))).toBe(
      'AI_SCHEMA',
    )
  })

  it('reduces foreign text to one bounded line', () => {
    const read = readDecision(answer([], { reason: 'a\u202eb\u0000c\nd' }), ASK)
    expect(read).toMatchObject({ decision: { reason: 'a b c d' } })
  })

  it('rejects any JSON outside pairs and limits', () => {
    const loose = fc.record({
      pair: fc.oneof(fc.constantFrom('ETH/USDG', 'cbBTC/USDG', 'USDG/ETH', 'SCAM/USDG'), fc.string()),
      side: fc.oneof(fc.constantFrom('buy', 'sell'), fc.string()),
      usd: fc.oneof(fc.double(), fc.integer({ min: -5, max: 50 }), fc.string()),
      reason: fc.string(),
    })
    // Mixed with valid orders, so that some whole answers pass.
    const orders = fc.array(fc.oneof(loose, fc.constant(order())), { maxLength: 5 })
    const any = fc.oneof(fc.jsonValue(), fc.record({ orders, reason: fc.string() }))
    let passed = 0
    fc.assert(
      fc.property(any, (value) => {
        const read = readDecision(value, ASK)
        expectInside(read)
        if (read.ok && read.decision.orders.length > 0) passed += 1
        expectInside(readDecision(JSON.stringify(value), ASK))
      }),
      { numRuns: 3_000 * SHARE },
    )
    expect(passed).toBeGreaterThan(0)
  })

  it('never orders outside pairs and limits for a thousand injected instructions', () => {
    expect(INJECTIONS.length).toBe(1_000)
    for (const text of INJECTIONS) {
      for (const payload of [
        text,
        answer([order({ pair: text })]),
        answer([order({ reason: text.slice(0, 900) })]),
      ]) {
        expectInside(readDecision(payload, ASK))
      }
      expect(codeOf(readDecision(text, ASK))).toBe('AI_MALFORMED')
    }
    // Orders of a model that obeys the injection: all are rejected.
    for (const text of OBEYED) expect(readDecision(text, ASK).ok).toBe(false)
  })
})

it('uses the same schema for models, closed and with all fields required', () => {
  const schema = modelSchemaOf({ pairs: ASK.pairs, maxTradeUsd: 25, maxOrders: 3 })
  expect(schema).toMatchObject({ additionalProperties: false, required: ['orders', 'reason'] })
  const { items } = (schema['properties'] as { orders: { items: Record<string, unknown> } }).orders
  expect(items['required']).toEqual(Object.keys(items['properties'] as object))
})
