import { RULE_BRAINS, type RuleBrainName, readRuleParams, replayBook } from '@pit/brains'
import { backtest } from '@pit/brains/backtest'
import { expect, it } from 'vitest'
import { printBacktest } from './printBacktest.ts'

const E18 = 10n ** 18n
const FROM_S = 1_800_000_000
const usd = (n: number) => BigInt(n) * 1_000_000n

const wave = (minutes: number) =>
  Array.from({ length: minutes }, (_, i) => ({
    atS: FROM_S + i * 60,
    priceE18: BigInt(Math.round(2_000 + 100 * Math.sin(i / 40))) * E18,
  }))

function run(name: RuleBrainName, given: Record<string, unknown>, marks = wave(1_440)) {
  const read = readRuleParams(RULE_BRAINS[name], given)
  if (!read.ok) throw new Error(read.message)
  return backtest({
    brain: RULE_BRAINS[name],
    params: read.params,
    pairs: ['ETH/USDG'],
    marks: new Map([['ETH', marks]]),
    startMicroUsd: usd(1_000),
    intervalS: 300,
    limits: { maxTradeMicroUsd: usd(100), maxDayMicroUsd: usd(5_000), maxPositionMicroUsd: usd(800) },
    feeBps: 25,
    slippageBps: 10,
    gasMicroUsd: 20_000n,
    fromS: FROM_S,
    toS: FROM_S + 86_340,
  })
}

it.each([
  ['dca', { usd: 5 }],
  ['momentum', { lookback_s: 1_800, threshold_bps: 30 }],
  ['mean_reversion', { lookback_s: 7_200 }],
  ['grid', { range_bps: 400, start: 'filled' }],
  ['rebalance', { drift_bps: 100 }],
] as const)('%s trades over a day of marks and its book is its fills replayed', (name, given) => {
  const done = run(name, given)
  expect(done.ticks).toBe(288)
  expect(done.fills.length).toBeGreaterThan(0)
  const held = done.book.filter(({ atomsE18 }) => atomsE18 > 0n)
  expect(replayBook(usd(1_000) * 10n ** 12n, done.fills, 'USDG')).toEqual(
    new Map(held.map((row) => [row.token, row.atomsE18])),
  )
  expect(run(name, given)).toEqual(done)
  expect(printBacktest(done, { maxFills: 5 })).toContain('profit')
})

it('earns on a wave what a grid or a reversion should, after every cost', () => {
  const done = run('grid', { low: 1_880, high: 2_120, levels: 8, usd: 50, start: 'filled' })
  expect(done.endMicroUsd ?? 0n).toBeGreaterThan(usd(1_000))
})

it('pays fee, slippage and gas of a single fill to the atom', () => {
  const flat = Array.from({ length: 3 }, (_, i) => ({ atS: FROM_S + i * 60, priceE18: 2_000n * E18 }))
  const done = run('dca', { usd: 100, total_usd: 100 }, flat)
  const [fill] = done.fills
  expect(fill?.amountIn).toBe(100n * E18)
  // 100 less 0.25 of fee, at 2,000, less a thousandth.
  expect(fill?.amountOut).toBe(((((100n * E18 - E18 / 4n) * E18) / (2_000n * E18)) * 9_990n) / 10_000n)
  expect(done.book.find((row) => row.token === 'USDG')?.atomsE18).toBe(900n * E18 - E18 / 50n)
  expect(done.feesMicroUsd).toBe(250_000n)
})

it('trades nothing on marks that had stopped', () => {
  const done = run('dca', { usd: 5 }, wave(10))
  const last = Math.max(...done.fills.map((fill) => fill.atS))
  expect(last).toBeLessThanOrEqual(FROM_S + 9 * 60 + 180)
})
