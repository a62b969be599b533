import { dollarsText, microUsdDown, minOf, schemas } from '@pit/protocol'
import type { Static } from '@sinclair/typebox'
import { freshPrice, openTally } from '../compose.ts'
import { openPurse } from '../purse.ts'
import { keep, keptMicro, keptOf } from '../state.ts'
import type { RuleBrain } from '../types.ts'

const Params = schemas.DcaParams

export const dca: RuleBrain = {
  name: 'dca',
  summary: 'Orders the same amount in USD at every decision.',
  paramsSchema: Params,
  historyS: () => 0,
  decide({ market, book, params, state, limits }) {
    const { usd, side, total_usd } = params as Static<typeof schemas.DcaParams>
    const tally = openTally(openPurse(book, limits))
    const nextState: Record<string, Record<string, unknown>> = {}
    for (const pair of market.pairs) {
      let ordered = keptMicro(keptOf(state, pair.pair)['ordered'])
      const left = total_usd === undefined ? undefined : microUsdDown(total_usd) - ordered
      if (left !== undefined && left <= 0n)
        tally.hold(pair, `the total of ${dollarsText(ordered)} is ordered`)
      else if (freshPrice(pair, tally) !== undefined) {
        const microUsd = left === undefined ? microUsdDown(usd) : minOf(microUsdDown(usd), left)
        ordered += tally.order(pair, side, microUsd, `${dollarsText(microUsd)} at every decision`)
      }
      nextState[pair.pair] = { ordered: ordered.toString() }
    }
    return tally.decision(keep(nextState))
  },
}
