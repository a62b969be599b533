import { feeOf, microUsdDown, priceE18Down, schemas } from '@pit/protocol'
import type { Static } from '@sinclair/typebox'
import { freshPrice, openTally, type Tally } from '../compose.ts'
import { openPurse } from '../purse.ts'
import { keep, keptMicro, keptOf } from '../state.ts'
import { shownPrice } from '../text.ts'
import type { PairNow, RuleBrain } from '../types.ts'

const Params = schemas.GridParams
type Params = Static<typeof Params>

/** Kept of a pair: the lines' ends, and each level's buying price; 0: waiting, -1: not passed yet. */
interface Grid {
  low: bigint
  high: bigint
  levels: bigint[]
}
const WAITING = 0n
const UNARMED = -1n

export const grid: RuleBrain = {
  name: 'grid',
  summary: 'Buys at each line the price falls to, sells it one line higher.',
  paramsSchema: Params,
  paramsProblem: (params) => {
    const { low, high } = params as Params
    if (low === undefined && high === undefined) return undefined
    if (low === undefined) return { field: 'params.low', message: 'low and high come together.' }
    if (high === undefined) return { field: 'params.high', message: 'low and high come together.' }
    return high > low && high <= low * 100
      ? undefined
      : { field: 'params.high', message: 'high must be over low, and at most a hundred times it.' }
  },
  pairsProblem: (params, pairs) =>
    (params as Params).low !== undefined && pairs.length > 1
      ? { field: 'params.low', message: 'low and high are of one pair; for several use range_bps.' }
      : undefined,
  historyS: () => 0,
  decide({ market, book, params, state, limits }) {
    const chosen = params as Params
    const purse = openPurse(book, limits)
    const tally = openTally(purse)
    const kept: Record<string, Record<string, unknown>> = {}
    for (const pair of market.pairs) {
      const was = keptOf(state, pair.pair)
      if (chosen.low !== undefined && market.pairs.length > 1) {
        tally.hold(pair, 'low and high are of one pair; an agent of several takes range_bps')
        continue
      }
      const price = freshPrice(pair, tally)
      const before = readGrid(was)
      const stands = before !== undefined && isOf(before, chosen)
      const found = stands || price === undefined ? before : newGrid(price, chosen, before)
      if (found === undefined) continue
      if (price !== undefined) {
        // Nothing held means nothing bought, whatever was ordered: those levels wait again.
        if (purse.holding(pair.base) === 0n) empty(found)
        trade(
          pair,
          price,
          found,
          { size: microUsdDown(chosen.usd), maxTrade: limits.maxTradeMicroUsd },
          tally,
        )
      }
      kept[pair.pair] = shown(found)
    }
    return tally.decision(keep(kept))
  },
}

const lineAt = ({ low, high, levels }: Grid, index: number): bigint =>
  low + ((high - low) * BigInt(index)) / BigInt(levels.length)

function empty(found: Grid): void {
  found.levels = found.levels.map((bought) => (bought > 0n ? WAITING : bought))
}

function trade(
  pair: PairNow,
  price: bigint,
  found: Grid,
  { size, maxTrade }: { size: bigint; maxTrade: bigint },
  tally: Tally,
): void {
  const { levels } = found
  const toSell: number[] = []
  const toBuy: number[] = []
  for (const [index, bought] of levels.entries()) {
    const line = lineAt(found, index)
    if (bought > 0n && price >= lineAt(found, index + 1)) toSell.push(index)
    else if (bought === UNARMED && price > line) levels[index] = WAITING
    else if (bought === WAITING && price <= line) toBuy.push(index)
  }
  const at = shownPrice(price)
  if (toSell.length > 0) {
    // The base bought at a level is worth more by now: the same base is sold, not the same dollars. Levels
    // that do not fit into one trade are still over their line at the next tick.
    let worth = 0n
    let lots = 0
    for (const index of toSell) {
      const part = (size * price) / (levels[index] as bigint)
      if (lots > 0 && worth + part > maxTrade) break
      worth += part
      lots += 1
    }
    const sold = tally.order(pair, 'sell', worth, `${at} is a line over ${count(lots)} bought`)
    if (sold > 0n) for (const index of toSell.slice(0, lots)) levels[index] = WAITING
  }
  // The lines nearest to the price first: those further up would be sold last.
  if (toBuy.length > 0) {
    const wanted = size * BigInt(toBuy.length)
    const taken = tally.order(pair, 'buy', wanted, `${at} is at or under ${count(toBuy.length)}`, size)
    for (const index of toBuy.slice(0, Number(taken / size))) levels[index] = price
  }
  if (toSell.length + toBuy.length === 0) {
    tally.hold(pair, `${at} passed no line between ${shownPrice(found.low)} and ${shownPrice(found.high)}`)
  }
}

const count = (lines: number): string => (lines === 1 ? 'a level' : `${lines} levels`)

/** New lines around this price, or between these. Older buys wait for the next line above them. */
function newGrid(price: bigint, { low, high, range_bps, levels, start }: Params, before?: Grid): Grid {
  const reach = feeOf(price, range_bps)
  const found: Grid = {
    low: low === undefined ? price - reach : priceE18Down(low),
    high: high === undefined ? price + reach : priceE18Down(high),
    levels: Array.from({ length: levels }, () => (start === 'filled' ? WAITING : UNARMED)),
  }
  const lots = before?.levels.filter((bought) => bought > 0n) ?? []
  for (const index of found.levels.keys()) {
    if (lots.length > 0 && lineAt(found, index + 1) > price) found.levels[index] = lots.shift() as bigint
  }
  return found
}

/** Whether the lines are those that these params draw, around whatever price was the first. */
function isOf({ low, high, levels }: Grid, params: Params): boolean {
  if (levels.length !== params.levels) return false
  if (params.low !== undefined)
    return low === priceE18Down(params.low) && high === priceE18Down(params.high ?? 0)
  return (high - low) / 2n === feeOf((low + high) / 2n, params.range_bps)
}

function readGrid(kept: Record<string, unknown>): Grid | undefined {
  const found = { low: keptMicro(kept['low']), high: keptMicro(kept['high']) }
  const bought = kept['levels']
  if (found.high <= found.low || !Array.isArray(bought)) return undefined
  return { ...found, levels: bought.map((text) => (text === '-1' ? UNARMED : keptMicro(text))) }
}

const shown = ({ low, high, levels }: Grid): Record<string, unknown> => ({
  low: low.toString(),
  high: high.toString(),
  levels: levels.map(String),
})
