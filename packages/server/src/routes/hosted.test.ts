import { checkLimits } from '@pit/agents/internal/terms/limits'
import { isPitError } from '@pit/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { limitsJson } from './describeAgent.ts'
import { inOneLine, limitsOf } from './hosted.ts'

const readLimits = (sent: ReturnType<typeof limitsJson>) => checkLimits(limitsOf(sent))
const refused = (work: () => unknown): unknown => {
  try {
    work()
  } catch (error) {
    if (isPitError(error)) return [error.code, error.extras['field']]
    throw error
  }
  return 'passed'
}

describe('limits', () => {
  const of = (trade: number, day: number, position = 100) => ({
    max_trade_usd: trade,
    max_day_usd: day,
    max_position_usd: position,
  })
  it.each([
    [of(1, 1, 1), 'passed'],
    [of(10_000, 10_000), 'passed'],
    [of(0.999999, 1), 'limits.max_trade_usd'],
    [of(0.9999999, 1), 'limits.max_trade_usd'],
    [of(10_000.000001, 20_000), 'limits.max_trade_usd'],
    [of(20, 19.999999), 'limits.max_day_usd'],
    [of(20, 1e300), 'limits.max_day_usd'],
    [of(20, 20, 0.5), 'limits.max_position_usd'],
    [of(20, 20, 1e10), 'limits.max_position_usd'],
  ])('%j: %s', (limits, expected) => {
    const said = refused(() => readLimits(limits))
    expect(said).toEqual(expected === 'passed' ? 'passed' : ['BAD_REQUEST', expected])
  })

  it('are exact to the micro-dollar and round-trip', () => {
    const micro = fc.integer({ min: 1_000_000, max: 10_000_000_000 })
    fc.assert(
      fc.property(micro, (value) => {
        const sent = of(value / 1e6, value / 1e6, value / 1e6)
        const limits = readLimits(sent)
        expect(limits.maxTradeMicroUsd).toBe(BigInt(value))
        expect(limitsJson(limits)).toEqual(sent)
      }),
    )
  })
})

it('steps of several sessions use consecutive nonces', () => {
  type Step = Parameters<typeof inOneLine>[0][number][number]
  const step = (nonce: number | null) => ({ kind: 'disable_delegation', tx: { nonce } }) as Step
  expect(inOneLine([[step(5), step(6)], [step(5)], [step(null)]]).map(({ tx }) => tx)).toEqual([
    { nonce: 5 },
    { nonce: 6 },
    { nonce: 7 },
    { nonce: null },
  ])
})
