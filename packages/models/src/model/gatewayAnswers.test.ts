import { exchange } from '@pit/platform/http'
import { malformationsOf, startAnswering } from '@pit/platform/test/malformations'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CostPlaces, readCall } from './callModel.ts'
import { countCost } from './cost.ts'
import { readModels } from './modelList.ts'

const LITELLM = 'x-litellm-response-cost'
const [MODEL] = readModels(
  JSON.stringify({
    data: [{ id: 'small', pricing: { input: 0.15, output: 0.6 }, structured_outputs: true }],
  }),
  { priced_per: 'million_tokens', models: {} },
) as [NonNullable<ReturnType<typeof readModels>>[number]]
/** 1,000 tokens in and 100 out cost 210 micro-dollars. */
const COMPLETION = {
  id: 'gen-1',
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: '{"orders":[]}' } }],
  usage: { prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1_100, cost: 0.000_25 },
}
const BOUND = 2_000n
const KEY = 'key-that-nobody-may-see'

const GATEWAYS: [string, CostPlaces, Record<string, string>, string][] = [
  ['that reports the cost in usage.cost', { usage: true, header: null }, {}, '250 usage.cost'],
  ['that reports it in a header', { usage: false, header: LITELLM }, { [LITELLM]: '3.1e-04' }, '310 header'],
  ['with None in its header', { usage: false, header: LITELLM }, { [LITELLM]: 'None' }, '2000 bound'],
  ['with an empty header', { usage: false, header: LITELLM }, { [LITELLM]: '' }, '2000 bound'],
  ['that reports it in another header', { usage: false, header: LITELLM }, { 'x-cost': '0.1' }, '2000 bound'],
  [
    'that reports it in a header we do not read',
    { usage: false, header: null },
    { [LITELLM]: '0.1' },
    '2000 bound',
  ],
]

describe('a gateway', () => {
  let gateway: Awaited<ReturnType<typeof startAnswering>>
  beforeAll(async () => {
    gateway = await startAnswering()
  })
  afterAll(() => gateway.close())

  async function countCall(cost: CostPlaces, timeoutMs = 5_000) {
    const answer = await exchange({
      method: 'POST',
      url: new URL(gateway.url),
      headers: { authorization: `Bearer ${KEY}` },
      body: '{}',
      timeoutMs,
      maxAnswerBytes: 1_000_000,
    })
    const call = readCall(answer, cost)
    if (call.kind === 'refused') return { call, microUsd: 0n, source: 'none' }
    if (call.kind === 'lost') return { call, microUsd: BOUND, source: 'bound' }
    return { call, ...countCost(MODEL, call.stated, { boundMicroUsd: BOUND, promptChars: 4_000 }) }
  }

  it.each(GATEWAYS)('%s is counted', async (_, cost, headers, expected) => {
    gateway.willAnswer((response) => void response.writeHead(200, headers).end(JSON.stringify(COMPLETION)))
    const { microUsd, source } = await countCall(cost)
    expect(`${microUsd} ${source}`).toBe(expected)
  })

  const cases = malformationsOf(COMPLETION, [
    ['usage'],
    ['usage', 'cost'],
    ['usage', 'prompt_tokens'],
    ['usage', 'completion_tokens'],
    ['choices'],
    ['choices', 0, 'message'],
  ])
  it(`is never counted below its token cost: ${cases.length} responses`, async () => {
    expect(cases.length).toBeGreaterThanOrEqual(50)
    for (const { name, answer } of cases) {
      gateway.willAnswer(answer)
      const isSlow = name === 'never comes' || name === 'comes drop by drop'
      const { call, microUsd } = await countCall({ usage: true, header: null }, isSlow ? 60 : 5_000)
      // Only a plain refusal costs nothing.
      if (call.kind !== 'refused') expect(microUsd, name).toBeGreaterThanOrEqual(210n)
      expect(JSON.stringify(call), name).not.toContain(KEY)
    }
  })
})
