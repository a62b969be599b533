import fc from 'fast-check'
import { expect, it } from 'vitest'
import { chooseTrade } from './chooseTrade.ts'

const SIZES = { minUsd: 5, maxUsd: 120 }
const unit = fc.double({ min: 0, max: 1, noNaN: true })
const dollars = fc.double({ min: 0, max: 50_000, noNaN: true })

it('never sells more than a quarter of a holding, nor less than the minimum', () => {
  fc.assert(
    fc.property(dollars, dollars, dollars, fc.tuple(unit, unit, unit), (cash, ether, bitcoin, draws) => {
      const worth = new Map([
        ['USDG', cash],
        ['ETH', ether],
        ['cbBTC', bitcoin],
      ])
      const left = [...draws]
      const choice = chooseTrade(worth, SIZES, () => left.shift()!)
      if (choice === null) return
      expect([choice.token_in, choice.token_out]).toContain('USDG')
      expect(choice.notional_usd).toBeGreaterThanOrEqual(SIZES.minUsd)
      expect(choice.notional_usd).toBeLessThanOrEqual(SIZES.maxUsd)
      expect(choice.notional_usd).toBeLessThanOrEqual((worth.get(choice.token_in) ?? 0) / 4 + 0.5)
    }),
  )
})

it('buys with cash alone, sells without cash, and waits with neither', () => {
  const draw = () => 0.5
  expect(chooseTrade(new Map([['USDG', 10_000]]), SIZES, draw)).toMatchObject({
    token_in: 'USDG',
    token_out: 'cbBTC',
  })
  expect(chooseTrade(new Map([['cbBTC', 10_000]]), SIZES, draw)).toMatchObject({ token_out: 'USDG' })
  expect(chooseTrade(new Map([['USDG', 19]]), SIZES, draw)).toBeNull()
})
