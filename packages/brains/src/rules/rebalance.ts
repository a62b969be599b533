import { bpsDown, dollarsText, feeOf, schemas } from '@pit/protocol'
import type { Static } from '@sinclair/typebox'
import { freshPrice, openTally } from '../compose.ts'
import { CASH_TOKEN, openPurse } from '../purse.ts'
import { plainText } from '../text.ts'
import type { PairNow, RuleBrain } from '../types.ts'

const Params = schemas.RebalanceParams
type Params = Static<typeof Params>

/** Percent to basis points, keeping two decimals. */
const bpsOfPercent = (percent: number): number => Math.round(percent * 100)

export const rebalance: RuleBrain = {
  name: 'rebalance',
  summary: 'Keeps the book at target weights.',
  paramsSchema: Params,
  paramsProblem: (params) => {
    const weights = Object.values((params as Params).weights ?? {})
    if (weights.length > 32) return { field: 'params.weights', message: 'The maximum is 32 tokens.' }
    const sum = weights.reduce((total, percent) => total + bpsOfPercent(percent), 0)
    return sum > 10_000 ? { field: 'params.weights', message: 'The weights exceed 100%.' } : undefined
  },
  // A misspelled token would leave the intended one with weight 0, and all of it would be sold.
  pairsProblem: (params, pairs) => {
    const bases = new Set(pairs.map((pair) => pair.split('/')[0] as string))
    const named = Object.keys((params as Params).weights ?? {})
    const strange = named.find((token) => token !== CASH_TOKEN && !bases.has(token))
    if (strange === undefined) return undefined
    const message = `${plainText(strange, 64)} is not the base of any pair. Available: ${[...bases].join(', ')}.`
    return { field: 'params.weights', message }
  },
  historyS: () => 0,
  decide({ market, book, params, limits }) {
    const { weights, drift_bps } = params as Params
    const purse = openPurse(book, limits)
    const tally = openTally(purse)
    // A token in several pairs is traded through its first pair against cash, else its first pair.
    const pairs = new Map<string, PairNow>()
    for (const pair of market.pairs) {
      const existing = pairs.get(pair.base)
      if (pair.base === CASH_TOKEN) continue
      if (existing === undefined || (existing.quote !== CASH_TOKEN && pair.quote === CASH_TOKEN))
        pairs.set(pair.base, pair)
    }
    let total = book.cashMicroUsd
    for (const [token, pair] of pairs) {
      const value = purse.holding(token)
      // One unknown value makes all weights unknown.
      if (freshPrice(pair, tally) === undefined) return tally.decision(null)
      if (value === null) {
        tally.hold(pair, `the value of ${token} is unknown`)
        return tally.decision(null)
      }
      total += value
    }
    const even = Math.floor(10_000 / (pairs.size + 1))
    const drifts = [...pairs].map(([token, pair]) => {
      const named = weights !== undefined && Object.hasOwn(weights, token) ? (weights[token] ?? 0) : 0
      const weight = weights === undefined ? even : bpsOfPercent(named)
      const value = purse.holding(token) ?? 0n
      return { pair, weight, value, over: value - feeOf(total, weight) }
    })
    // Sales first: their proceeds pay for buys of later ticks.
    for (const { pair, weight, value, over } of drifts.sort((a, b) => (a.over > b.over ? -1 : 1))) {
      const off = over < 0n ? -over : over
      const share = total === 0n ? 0n : bpsDown(value, total)
      const stands = `${share} bps of ${dollarsText(total)}, target ${weight} bps`
      if (total === 0n || off * 10_000n < total * BigInt(drift_bps)) tally.hold(pair, stands)
      else tally.order(pair, over > 0n ? 'sell' : 'buy', off, stands)
    }
    return tally.decision(null)
  },
}
