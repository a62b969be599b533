import { bpsTowardsZero, microUsdDown, schemas } from '@pit/protocol'
import type { Static } from '@sinclair/typebox'
import { freshPrice, openTally } from '../compose.ts'
import { markAt } from '../history.ts'
import { MIN_ORDER_MICRO_USD, openPurse } from '../purse.ts'
import { keep, keptOf, keptSeconds } from '../state.ts'
import type { RuleBrain } from '../types.ts'

const Params = schemas.MomentumParams
type Params = Static<typeof Params>

export const momentum: RuleBrain = {
  name: 'momentum',
  summary: 'Buys after a rise over the lookback, sells after a fall.',
  paramsSchema: Params,
  historyS: (params) => (params as Params).lookback_s + 600,
  decide({ market, book, params, state, limits }) {
    const { lookback_s, threshold_bps, exit_bps, usd, exit, cooldown_s } = params as Params
    const purse = openPurse(book, limits)
    const tally = openTally(purse)
    const nextState: Record<string, Record<string, unknown>> = {}
    for (const pair of market.pairs) {
      const boughtAtS = keptSeconds(keptOf(state, pair.pair)['bought_at'])
      if (boughtAtS !== undefined) nextState[pair.pair] = { bought_at: boughtAtS }
      const price = freshPrice(pair, tally)
      if (price === undefined) continue
      const then = markAt(pair.history, market.atS, lookback_s)
      if (then === undefined) {
        tally.hold(pair, `no mark from ${lookback_s} s ago`)
        continue
      }
      const change = bpsTowardsZero(price - then.priceE18, then.priceE18)
      const moved = `${change < 0n ? `fell ${-change}` : `rose ${change}`} bps in ${lookback_s} s`
      const held = purse.holding(pair.base) ?? 0n
      if (change <= -BigInt(exit_bps) && change < BigInt(threshold_bps) && held >= MIN_ORDER_MICRO_USD) {
        tally.order(pair, 'sell', exit === 'all' ? held : microUsdDown(usd), moved)
      } else if (change < BigInt(threshold_bps)) tally.hold(pair, `${moved}; buys from ${threshold_bps}`)
      else if (boughtAtS !== undefined && market.atS - boughtAtS < cooldown_s) {
        tally.hold(pair, `${moved}, but bought less than ${cooldown_s} s ago`)
      } else if (tally.order(pair, 'buy', microUsdDown(usd), moved) > 0n) {
        nextState[pair.pair] = { bought_at: market.atS }
      }
    }
    return tally.decision(keep(nextState))
  },
}
