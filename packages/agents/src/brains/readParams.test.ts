import { readModels } from '@pit/models/internal/model/modelList'
import type { Brain } from '@pit/protocol'
import { describe, expect, it } from 'vitest'
import { type ParamsContext, readParams } from './readParams.ts'

const MODELS = readModels(
  JSON.stringify({
    data: [
      { id: 'small', pricing: { input: 1, output: 1 }, structured_outputs: true },
      { id: 'prose', pricing: { input: 1, output: 1 } },
    ],
  }),
  { priced_per: 'million_tokens', models: {} },
)
const read = (
  brain: Brain,
  params: Record<string, unknown>,
  context: Partial<ParamsContext> = {},
  intervalS = 900,
) =>
  readParams({ reach: 'public', models: () => MODELS, ...context }, brain, params, {
    intervalS,
    mode: 'paper',
  })

describe('params of a brain', () => {
  it('are returned with their defaults', () => {
    expect(read('dca', {})).toEqual({ usd: 10, side: 'buy' })
    expect(read('partner_llm', {})).toEqual({
      funding: 'pool',
      fallback_own: true,
      budget_usd_day: 0.5,
      max_orders: 3,
    })
    expect(read('partner_llm', { model: 'small', template: 'trend', strategy: 'two\nlines' })).toMatchObject({
      model: 'small',
      template: 'trend',
      strategy: 'two\nlines',
    })
    expect(read('webhook', { url: 'https://hook.example/x' })).toEqual({ url: 'https://hook.example/x' })
  })
  it('accept any model before the first model list', () => {
    expect(read('partner_llm', { model: 'other' }, { models: () => null })).toMatchObject({ model: 'other' })
  })
  it.each<[Brain, Record<string, unknown>, string, string]>([
    ['dca', { usd: 0.5 }, 'BAD_REQUEST', 'params.usd'],
    ['dca', { size: 5 }, 'UNKNOWN_FIELD', 'params.size'],
    ['grid', { low: 3 }, 'BAD_REQUEST', 'params.high'],
    ['partner_llm', { temperature: 2 }, 'UNKNOWN_FIELD', 'params.temperature'],
    ['partner_llm', { funding: 'credit' }, 'BAD_REQUEST', 'params.funding'],
    ['partner_llm', { template: 'moon' }, 'BAD_REQUEST', 'params.template'],
    ['partner_llm', { budget_usd_day: 26 }, 'BAD_REQUEST', 'params.budget_usd_day'],
    ['partner_llm', { max_orders: 9 }, 'BAD_REQUEST', 'params.max_orders'],
    ['partner_llm', { max_orders: 0 }, 'BAD_REQUEST', 'params.max_orders'],
    ['partner_llm', { strategy: 'x'.repeat(4_001) }, 'BAD_REQUEST', 'params.strategy'],
    ['partner_llm', { model: 'prose' }, 'BAD_REQUEST', 'params.model'],
    ['partner_llm', { model: 'missing' }, 'BAD_REQUEST', 'params.model'],
    ['webhook', {}, 'BAD_REQUEST', 'params.url'],
    ['webhook', { url: 'https://x.example/', secret: 'mine' }, 'UNKNOWN_FIELD', 'params.secret'],
    ['webhook', { url: 'http://x.example/' }, 'BAD_REQUEST', 'params.url'],
    ['webhook', { url: 'https://10.0.0.1/' }, 'BAD_REQUEST', 'params.url'],
    ['webhook', { url: 'https://a:b@x.example/' }, 'BAD_REQUEST', 'params.url'],
  ])('%s rejects %j: %s at %s', (brain, params, code, field) => {
    expect(() => read(brain, params)).toThrow(expect.objectContaining({ code, extras: { field } }))
  })
  it('limits an AI agent to one tick every five minutes', () => {
    expect(() => read('partner_llm', {}, {}, 299)).toThrow(
      expect.objectContaining({ code: 'BAD_REQUEST', extras: { field: 'interval_s' } }),
    )
  })
})
