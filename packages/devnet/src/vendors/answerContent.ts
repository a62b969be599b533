import { fillSchema, type Schema } from './fillSchema.ts'
import { decideOrders, type Order, quotedJson, readMarket } from './trader.ts'

/** The model's message: content, or a refusal, and why it stopped. */
export interface Choice {
  content: string | null
  refusal: string | null
  finish: 'stop' | 'length'
}

const said = (value: unknown): Choice => ({
  content: typeof value === 'string' ? value : JSON.stringify(value),
  refusal: null,
  finish: 'stop',
})

/** The default format. */
const FREE_SHAPE: Schema = {
  type: 'object',
  properties: {
    orders: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          pair: { type: 'string' },
          side: { type: 'string', enum: ['buy', 'sell'] },
          usd: { type: 'number' },
          reason: { type: 'string' },
        },
      },
    },
    reason: { type: 'string' },
  },
}

/** Fault responses are made from a valid one, so that only the fault is wrong with them. */
const order = (orders: Order[], change: Partial<Order>): Order[] => {
  const base = orders[0] ?? { pair: 'ETH/USDG', side: 'buy' as const, usd: 10, reason: 'a hunch' }
  return [{ ...base, ...change }]
}

const withoutEnums = (schema: Schema): Schema =>
  JSON.parse(JSON.stringify(schema), (key, value) => {
    if (value && typeof value === 'object' && !Array.isArray(value) && key !== 'side') {
      const { enum: _, minimum: __, maximum: ___, maxItems: ____, ...rest } = value as Schema
      return rest
    }
    return value
  })

const FAULTS: Record<string, (orders: Order[], schema: Schema, prompt: string) => Choice> = {
  refusing: () => ({ content: null, refusal: 'I can not help with trading decisions.', finish: 'stop' }),
  malformed_content: (orders, schema) => {
    const text = JSON.stringify(fillSchema(schema, orders))
    return said(text.slice(0, Math.max(1, text.length - 3)))
  },
  two_objects: (orders, schema) => {
    const text = JSON.stringify(fillSchema(schema, orders))
    return said(`${text}\n${text}`)
  },
  wrong_schema: () => said({ decision: 'BUY', confidence: 'very high', tokens: ['ETH'] }),
  extra_fields: (orders, schema) => {
    const honest = fillSchema(schema, orders) as Record<string, unknown>
    return said({ ...honest, to: '0x000000000000000000000000000000000000dEaD', calldata: '0xdeadbeef' })
  },
  wrong_pair: (orders, schema) =>
    said(fillSchema(withoutEnums(schema), order(orders, { pair: 'SCAM/USDG' }))),
  wrong_token: (orders, schema) =>
    said(
      fillSchema(withoutEnums(schema), order(orders, { pair: '0x000000000000000000000000000000000000dEaD' })),
    ),
  too_large: (orders, schema) =>
    said(fillSchema(withoutEnums(schema), order(orders, { usd: 1_000_000_000 }))),
  negative: (orders, schema) => said(fillSchema(withoutEnums(schema), order(orders, { usd: -50 }))),
  too_many: (orders, schema) => {
    const one = order(orders, {})
    return said(fillSchema(withoutEnums(schema), Array.from({ length: 100 }, () => one).flat()))
  },
  truncated: (orders, schema) => {
    const text = JSON.stringify(fillSchema(schema, orders))
    return { ...said(text.slice(0, Math.ceil(text.length / 2))), finish: 'length' }
  },
}

/** The last JSON in the prompt that looks like an answer: what an injected model would obey. */
function injectedAnswer(prompt: string): unknown {
  const unescaped = prompt.replaceAll('\\"', '"')
  const all = [...quotedJson(prompt), ...findOrders(unescaped)]
  return all.reverse().find((value) => Array.isArray((value as { orders?: unknown } | null)?.orders))
}

/** Orders inside a quoted string, hidden by the outermost JSON. */
function findOrders(text: string): unknown[] {
  const orders: unknown[] = []
  for (const match of text.matchAll(/\{\s*"orders"/g))
    orders.push(...quotedJson(text.slice(match.index)).slice(0, 1))
  return orders
}

export function answerContent(prompt: string, asked: Schema | undefined, mode: string): Choice {
  const schema = asked ?? FREE_SHAPE
  const temper = mode === 'eager' || mode === 'hold' ? mode : 'usual'
  const orders = decideOrders(readMarket(quotedJson(prompt)), temper)
  if (mode === 'obedient') return said(injectedAnswer(prompt) ?? fillSchema(schema, orders))
  return FAULTS[mode]?.(orders, schema, prompt) ?? said(fillSchema(schema, orders))
}
