import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { boundOf, countCost } from './cost.ts'
import { type Prices, readModels } from './modelList.ts'

const PRICES = { priced_per: 'million_tokens', models: {} } as const
const [SMALL] = readModels(
  JSON.stringify({
    data: [{ id: 'small', pricing: { input: 0.15, output: 0.6 }, structured_outputs: true }],
  }),
  PRICES,
) as [NonNullable<ReturnType<typeof readModels>>[number]]
const CALL = { boundMicroUsd: 2_000n, promptChars: 4_000 }
const countReported = (more: Partial<Parameters<typeof countCost>[1]>) =>
  countCost(SMALL, { promptTokens: 1_000, completionTokens: 100, usage: null, header: null, ...more }, CALL)

describe('counted cost of a call', () => {
  it('is the vendor’s figure, rounded up', () => {
    expect(countReported({ usage: 0.000_21 })).toEqual({
      microUsd: 210n,
      source: 'usage.cost',
      overBound: false,
    })
    expect(countReported({ usage: 0.000_210_000_1 })).toMatchObject({ microUsd: 211n })
    expect(countReported({ header: 0.000_3 })).toEqual({ microUsd: 300n, source: 'header', overBound: false })
    expect(countReported({ usage: 0.000_4, header: 9 })).toMatchObject({
      microUsd: 400n,
      source: 'usage.cost',
    })
  })
  it('is the bound without a figure', () => {
    expect(countReported({})).toEqual({ microUsd: 2_000n, source: 'bound', overBound: false })
  })
  it('is the token cost if the figure is lower, and the bound if the tokens are implausible', () => {
    expect(countReported({ usage: 0 })).toEqual({ microUsd: 210n, source: 'bound', overBound: false })
    expect(countReported({ usage: 0, promptTokens: 3, completionTokens: 1 })).toMatchObject({
      microUsd: 2_000n,
    })
    expect(countReported({ usage: 0, promptTokens: null })).toMatchObject({ microUsd: 2_000n })
    expect(countReported({ usage: 0, promptTokens: 2_000_000 })).toMatchObject({ microUsd: 2_000n })
  })
  it('may exceed the bound if the vendor reports more', () => {
    expect(countReported({ usage: 1_000 })).toEqual({
      microUsd: 1_000_000_000n,
      source: 'usage.cost',
      overBound: true,
    })
    expect(countReported({ usage: 1e300 })).toMatchObject({ microUsd: 1_000_000_000_000n, overBound: true })
  })
  it('is never below the cost of a correct token count', () => {
    fc.assert(
      fc.property(
        fc.nat(30_000),
        fc.nat(1_150),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (chars, out, lie) => {
          const prompt = Math.ceil(chars / 4)
          const bound = boundOf(SMALL, { promptBytes: chars, messages: 2, maxTokens: 1_150 })
          const real = (prompt * 0.15 + out * 0.6) / 1e6
          const stated = { promptTokens: prompt, completionTokens: out, usage: real * lie, header: null }
          const cost = countCost(SMALL, stated, { boundMicroUsd: bound, promptChars: chars })
          expect(Number(cost.microUsd)).toBeGreaterThanOrEqual(real * 1e6 - 1e-6)
          expect(cost.microUsd).toBeLessThanOrEqual(bound)
        },
      ),
    )
  })
})

describe('models of a gateway', () => {
  const read = (row: unknown, prices: Prices = PRICES) => readModels(JSON.stringify({ data: [row] }), prices)
  it('are read in both price formats', () => {
    const perToken = {
      id: 'a',
      pricing: { prompt: '0.00000015', completion: '0.0000006' },
      supported_parameters: ['structured_outputs'],
    }
    expect(read(perToken)).toMatchObject([
      { inputUsd: 0.15, outputUsd: 0.6, inputPico: 150_000n, structured: true },
    ])
    expect(read({ id: 'a', pricing: { input: 0.05, output: 0.2 } })).toMatchObject([
      { inputPico: 50_000n, structured: false },
    ])
  })
  it('are skipped without a price that bounds a call', () => {
    for (const pricing of [
      undefined,
      {},
      { input: -1, output: 1 },
      { input: '', output: 1 },
      { input: 'x', output: 1 },
      { input: 1e9, output: 1 },
      { input: 1, output: 1, request: 'free' },
    ])
      expect(read({ id: 'a', pricing })).toEqual([])
    expect(read({ id: 'a b', pricing: { input: 1, output: 1 } })).toEqual([])
    expect(readModels('<html>', PRICES)).toBeNull()
    expect(readModels('{}', PRICES)).toBeNull()
  })

  it('priced per token are never read as priced per million', () => {
    const row = { id: 'a', pricing: { input: '0.00000015', output: '0.0000006' } }
    expect(read(row)).toEqual([])
    expect(read(row, { priced_per: 'token', models: {} })).toMatchObject([{ inputUsd: 0.15, outputUsd: 0.6 }])
    expect(read({ id: 'a', pricing: { input: 0, output: 0 } })).toMatchObject([{ inputPico: 0n }])
  })
  it('without a price use the profile’s; of two prices the higher one counts', () => {
    const models = { a: { input_usd: 2, output_usd: 8, structured: true } }
    const prices = { priced_per: 'million_tokens', models } as const
    const own = [{ inputUsd: 2, outputUsd: 8, structured: true, requestPico: 0n }]
    expect(read({ id: 'a' }, prices)).toMatchObject(own)
    expect(read({ id: 'b' }, prices)).toEqual([])
    expect(read({ id: 'toString' }, prices)).toEqual([])
    expect(read({ id: 'a', pricing: { input: 1, output: 9 } }, prices)).toMatchObject([
      { inputUsd: 2, outputUsd: 9 },
    ])
  })
  it('with a fee per call include it in the bound', () => {
    const pricing = { prompt: '0', completion: '0', request: '0.01' }
    const [model] = read({ id: 'a', pricing }) as [typeof SMALL]
    expect(boundOf(model, { promptBytes: 10, messages: 1, maxTokens: 10 })).toBe(10_000n)
  })
})
