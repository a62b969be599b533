import { expect, it } from 'vitest'
import { changeOf, type MarketRow, spanText } from './history.ts'

const row = (change_24h_pct: number | null, spark: MarketRow['spark']): MarketRow => ({
  ...{
    symbol: 'ETH',
    price: 2_000,
    change_24h_pct,
    high_24h: null,
    low_24h: null,
    volume_24h_usd: null,
    spark,
  },
})

it.each([
  ['of a whole day', row(1.5, [[0, 1_900]]), 1.5, 'in 24 h'],
  [
    'since the first price of a young chain',
    row(null, [
      [60, 2_000],
      [120, 1_990],
      [2_485, 2_011],
    ]),
    0.55,
    'in 40 min',
  ],
  ['with a single price', row(null, [[60, 2_000]]), null, 'in 24 h'],
  ['without a row', undefined, null, 'in 24 h'],
])('shows the change %s', (_, market, pct, span) => {
  const change = changeOf(market)
  expect([change.pct, spanText(change.overS)]).toEqual([pct, span])
})
