import { feeOf, microUsdDown, priceE18Down, schemas } from '@pit/protocol'
import type { Static } from '@sinclair/typebox'
import { freshPrice, openTally, type Tally } from '../compose.ts'
import { openPurse } from '../purse.ts'
import { keep, keptMicro, keptOf } from '../state.ts'
import { shownPrice } from '../text.ts'
import type { PairNow, RuleBrain } from '../types.ts'

const Params = schemas.GridParams
type Params = Static<typeof Params>

/** State of a pair: the range, and each level's buying price (0: waiting, -1: not crossed yet). */
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
    if (low === undefined) return { field: 'params.low', message: 'low and high must be set together.' }
    if (high === undefined) return { field: 'params.high', message: 'low and high must be set together.' }
    return high > low && high <= low * 100
      ? undefined
      : { field: 'params.high', message: 'high must be above low and at most 100 times low.' }
  },
  pairsProblem: (params, pairs) =>
    (params as Params).low !== undefined && pairs.length > 1
      ? {
          field: 'params.low',
          message: 'low and high apply to a single pair. Use range_bps for several pairs.',
        }
      : undefined,
  historyS: () => 0,
  decide({ market, book, params, state, limits }) {
    const settings = params as Params
    const purse = openPurse(book, limits)
    const tally = openTally(purse)
    const nextState: Record<string, Record<string, unknown>> = {}
    for (const pair of market.pairs) {
      const stored = keptOf(state, pair.pair)
      if (settings.low !== undefined && market.pairs.length > 1) {
        tally.hold(pair, 'low and high apply to a single pair; use range_bps for several pairs')
        continue
      }
      const price = freshPrice(pair, tally)
      const before = readGrid(stored)
      const stands = before !== undefined && isOf(before, settings)
      const lines = stands || price === undefined ? before : newGrid(price, settings, before)
      if (lines === undefined) continue
      if (price !== undefined) {
        // No holding means that no buy was filled: those levels wait again.
        if (purse.holding(pair.base) === 0n) empty(lines)
        trade(
          pair,
          price,
          lines,
          { size: microUsdDown(settings.usd), maxTrade: limits.maxTradeMicroUsd },
          tally,
        )
      }
      nextState[pair.pair] = storedGrid(lines)
    }
    return tally.decision(keep(nextState))
  },
}

const lineAt = ({ low, high, levels }: Grid, index: number): bigint =>
  low + ((high - low) * BigInt(index)) / BigInt(levels.length)

function empty(lines: Grid): void {
  lines.levels = lines.levels.map((bought) => (bought > 0n ? WAITING : bought))
}

function trade(
  pair: PairNow,
  price: bigint,
  lines: Grid,
  { size, maxTrade }: { size: bigint; maxTrade: bigint },
  tally: Tally,
): void {
  const { levels } = lines
  const toSell: number[] = []
  const toBuy: number[] = []
  for (const [index, bought] of levels.entries()) {
    const line = lineAt(lines, index)
    if (bought > 0n && price >= lineAt(lines, index + 1)) toSell.push(index)
    else if (bought === UNARMED && price > line) levels[index] = WAITING
    else if (bought === WAITING && price <= line) toBuy.push(index)
  }
  const at = shownPrice(price)
  if (toSell.length > 0) {
    // The base bought at a level has gained value: sell the same base, not the same dollars. Levels that
    // exceed one trade are sold at later ticks.
    let value = 0n
    let lots = 0
    for (const index of toSell) {
      const part = (size * price) / (levels[index] as bigint)
      if (lots > 0 && value + part > maxTrade) break
      value += part
      lots += 1
    }
    const sold = tally.order(pair, 'sell', value, `${at} is one line above ${count(lots)} bought`)
    if (sold > 0n) for (const index of toSell.slice(0, lots)) levels[index] = WAITING
  }
  // Lines nearest to the price first, as those further up would be sold last.
  if (toBuy.length > 0) {
    const total = size * BigInt(toBuy.length)
    const bought = tally.order(pair, 'buy', total, `${at} is at or below ${count(toBuy.length)}`, size)
    for (const index of toBuy.slice(0, Number(bought / size))) levels[index] = price
  }
  if (toSell.length + toBuy.length === 0) {
    tally.hold(pair, `${at} crossed no line between ${shownPrice(lines.low)} and ${shownPrice(lines.high)}`)
  }
}

const count = (lines: number): string => (lines === 1 ? 'a level' : `${lines} levels`)

/** New lines around this price, or in the given range. Earlier buys wait for the next line above them. */
function newGrid(price: bigint, { low, high, range_bps, levels, start }: Params, before?: Grid): Grid {
  const reach = feeOf(price, range_bps)
  const lines: Grid = {
    low: low === undefined ? price - reach : priceE18Down(low),
    high: high === undefined ? price + reach : priceE18Down(high),
    levels: Array.from({ length: levels }, () => (start === 'filled' ? WAITING : UNARMED)),
  }
  const lots = before?.levels.filter((bought) => bought > 0n) ?? []
  for (const index of lines.levels.keys()) {
    if (lots.length > 0 && lineAt(lines, index + 1) > price) lines.levels[index] = lots.shift() as bigint
  }
  return lines
}

/** Whether the lines match these params, at any start price. */
function isOf({ low, high, levels }: Grid, params: Params): boolean {
  if (levels.length !== params.levels) return false
  if (params.low !== undefined)
    return low === priceE18Down(params.low) && high === priceE18Down(params.high ?? 0)
  return (high - low) / 2n === feeOf((low + high) / 2n, params.range_bps)
}

function readGrid(kept: Record<string, unknown>): Grid | undefined {
  const lines = { low: keptMicro(kept['low']), high: keptMicro(kept['high']) }
  const bought = kept['levels']
  if (lines.high <= lines.low || !Array.isArray(bought)) return undefined
  return { ...lines, levels: bought.map((text) => (text === '-1' ? UNARMED : keptMicro(text))) }
}

const storedGrid = ({ low, high, levels }: Grid): Record<string, unknown> => ({
  low: low.toString(),
  high: high.toString(),
  levels: levels.map(String),
})
