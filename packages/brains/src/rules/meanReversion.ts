import { bpsDown, bpsTowardsZero, feeOf, microUsdDown, schemas } from '@pit/protocol'
import type { Static } from '@sinclair/typebox'
import { freshPrice, openTally } from '../compose.ts'
import { marksWithin } from '../history.ts'
import { MIN_ORDER_MICRO_USD, openPurse } from '../purse.ts'
import type { Mark, RuleBrain } from '../types.ts'

const Params = schemas.MeanReversionParams
type Params = Static<typeof Params>

export const meanReversion: RuleBrain = {
  name: 'mean_reversion',
  summary: 'Buys under the mean of the lookback, sells over it.',
  paramsSchema: Params,
  paramsProblem: (params) => {
    const { lookback_s, min_points } = params as Params
    return min_points * 60 > lookback_s
      ? {
          field: 'params.min_points',
          message: `A lookback of ${lookback_s} s has fewer minutes than min_points.`,
        }
      : undefined
  },
  historyS: (params) => (params as Params).lookback_s + 120,
  decide({ market, book, params, limits }) {
    const { lookback_s, band_bps, z, exit, usd, min_points } = params as Params
    const purse = openPurse(book, limits)
    const tally = openTally(purse)
    for (const pair of market.pairs) {
      const price = freshPrice(pair, tally)
      if (price === undefined) continue
      const marks = marksWithin(pair.history, market.atS, lookback_s)
      if (marks.length < min_points) {
        tally.hold(pair, `${marks.length} marks in ${lookback_s} s; the mean needs ${min_points}`)
        continue
      }
      const mean = meanOf(marks)
      const band = z === undefined ? feeOf(mean, band_bps) : timesZ(deviationOf(marks, mean), z)
      const away = bpsTowardsZero(price - mean, mean)
      const stands = `${away < 0n ? -away : away} bps ${away < 0n ? 'under' : 'over'} its mean`
      const held = purse.holding(pair.base) ?? 0n
      const sellFrom = exit === 'mean' ? mean : mean + band
      if (price <= mean - band) tally.order(pair, 'buy', microUsdDown(usd), stands)
      else if (price >= sellFrom && held >= MIN_ORDER_MICRO_USD) {
        tally.order(pair, 'sell', microUsdDown(usd), stands)
      } else {
        const side =
          price >= sellFrom ? 'nothing held to sell' : `inside the band of ${bpsDown(band, mean)} bps`
        tally.hold(pair, `${stands}; ${side}`)
      }
    }
    return tally.decision(null)
  },
}

const meanOf = (marks: readonly Mark[]): bigint =>
  marks.reduce((sum, mark) => sum + mark.priceE18, 0n) / BigInt(marks.length)

/** Standard deviation of the marks, scaled by 1e18 like the marks. */
const deviationOf = (marks: readonly Mark[], mean: bigint): bigint =>
  squareRoot(marks.reduce((sum, mark) => sum + (mark.priceE18 - mean) ** 2n, 0n) / BigInt(marks.length))

/** z is rounded to thousandths. */
const timesZ = (deviation: bigint, z: number): bigint => (deviation * BigInt(Math.round(z * 1_000))) / 1_000n

/** Integer square root, rounded down. */
export function squareRoot(value: bigint): bigint {
  if (value < 2n) return value < 0n ? 0n : value
  let guess = 1n << BigInt((value.toString(2).length + 1) >> 1)
  for (;;) {
    const next = (guess + value / guess) >> 1n
    if (next >= guess) return guess
    guess = next
  }
}
