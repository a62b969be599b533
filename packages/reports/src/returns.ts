import { divDown } from '@pit/protocol'
import type { Ledger, Snapshot } from './ledger.ts'
import { type Address, type Flow, type Prices, type Returns, SHARPE_MIN_DAYS } from './types.ts'

const ONE = 10n ** 18n
const DAY_S = 86_400
const DAYS_A_YEAR = 365

/** A reading of the period, its value, and the index that flows do not move. */
interface Reading {
  timeS: number
  valueMicroUsd: bigint
  /** Value of everything that came in since the last reading, less what left. */
  flowMicroUsd: bigint
  index: bigint
}

/** Returns over the readings of a period; the opening one is the last before it, if there is one. */
export function readReturns(ledger: Ledger, { fromS }: { fromS: number }): Returns {
  const { snapshots } = ledger
  const first = snapshots.findIndex(({ point }) => point.timeS >= fromS)
  const start = first < 0 ? snapshots.length - 1 : Math.max(0, first - 1)
  const period = snapshots.slice(Math.max(0, start))
  const [opening, closing] = [period[0], period.at(-1)]
  if (!opening || !closing || period.length < 2) return { ...NO_RETURNS, ...endsOf(period) }
  if (hasUnvaluedFlow(ledger, opening, closing))
    return { ...NO_RETURNS, ...endsOf([closing]), openingMicroUsd: null }
  const readings = readingsOf(ledger, period)
  const last = readings.at(-1)!
  const flows = readings.reduce((sum, { flowMicroUsd }) => sum + flowMicroUsd, 0n)
  const days = dailyReturns(readings)
  return {
    openingMicroUsd: readings[0]!.valueMicroUsd,
    closingMicroUsd: last.valueMicroUsd,
    flowAdjustedBps: bpsOf(last.index) - 10_000,
    maxDrawdownBps: drawdownBps(readings),
    sharpeHundredths: sharpeHundredths(days),
    dailyReturns: days.length,
    againstHoldingMicroUsd: last.valueMicroUsd - heldValue(ledger, opening, closing),
    againstCashMicroUsd: last.valueMicroUsd - readings[0]!.valueMicroUsd - flows,
    curve: readings.map(({ timeS, valueMicroUsd, index }) => ({
      timeS,
      valueMicroUsd,
      indexBps: bpsOf(index),
    })),
  }
}

const NO_RETURNS: Returns = {
  ...{ openingMicroUsd: null, closingMicroUsd: null, flowAdjustedBps: null, maxDrawdownBps: null },
  ...{ sharpeHundredths: null, dailyReturns: 0, againstHoldingMicroUsd: null, againstCashMicroUsd: null },
  curve: [],
}

/** An amount came in while its price was unknown, and has one now: its whole value would count as a return. */
const hasUnvaluedFlow = ({ book, flows }: Ledger, opening: Snapshot, closing: Snapshot): boolean =>
  flows
    .slice(opening.flows, closing.flows)
    .some(
      ({ token, direction, valueMicroUsd, cost }) =>
        direction === 'in' &&
        valueMicroUsd === null &&
        cost.unknown > 0 &&
        book.worth(token, 0n, closing.point.prices) !== null,
    )

const endsOf = ([only]: readonly Snapshot[]): Partial<Returns> =>
  only ? { openingMicroUsd: only.valueMicroUsd, closingMicroUsd: only.valueMicroUsd } : {}

function readingsOf(ledger: Ledger, period: readonly Snapshot[]): Reading[] {
  const readings: Reading[] = []
  for (const [i, snapshot] of period.entries()) {
    const { valueMicroUsd } = snapshot
    const last = readings.at(-1)
    const flowMicroUsd = i === 0 ? 0n : flowsBetween(ledger, period[i - 1]!, snapshot)
    const index = last ? grownIndex(last, valueMicroUsd - flowMicroUsd) : ONE
    readings.push({ timeS: snapshot.point.timeS, valueMicroUsd, flowMicroUsd, index })
  }
  return readings
}

/** From nothing there is no return. */
const grownIndex = ({ index, valueMicroUsd }: Reading, grown: bigint): bigint =>
  valueMicroUsd > 0n ? divDown(index * (grown > 0n ? grown : 0n), valueMicroUsd) : index

function flowsBetween(ledger: Ledger, before: Snapshot, after: Snapshot): bigint {
  const { book, flows, outside } = ledger
  let sum = 0n
  for (let i = before.flows; i < after.flows; i++) {
    const flow = flows[i]!
    const value = book.worth(flow.token, flow.atoms, after.point.prices) ?? flow.cost.microUsd
    sum += flow.direction === 'in' ? value : -value
  }
  for (let i = before.outside; i < after.outside; i++) sum += outside[i]!
  return sum
}

/** The opening holdings, kept, with the same flows in kind, at the closing prices. */
function heldValue(ledger: Ledger, opening: Snapshot, closing: Snapshot): bigint {
  const { book, flows, outside } = ledger
  const { prices } = closing.point
  const atoms = new Map<Address, bigint>()
  let sum = 0n
  for (const [token, one] of ledger.openingHeld) {
    if (book.worth(token, 0n, prices) === null) sum += one.knownCostMicroUsd
    else atoms.set(token, one.atoms)
  }
  for (const flow of flows.slice(opening.flows, closing.flows)) sum += addFlow(flow, atoms, ledger, prices)
  for (const [token, amount] of atoms) sum += book.worth(token, amount, prices) ?? 0n
  for (const microUsd of outside.slice(opening.outside, closing.outside)) sum += microUsd
  return sum
}

/** Micro-dollars of a flow without a price, at its known cost. */
function addFlow(flow: Flow, atoms: Map<Address, bigint>, { book }: Ledger, prices: Prices): bigint {
  const sign = flow.direction === 'in' ? 1n : -1n
  if (book.worth(flow.token, 0n, prices) === null) return sign * flow.cost.microUsd
  atoms.set(flow.token, (atoms.get(flow.token) ?? 0n) + sign * flow.atoms)
  return 0n
}

const bpsOf = (index: bigint): number => Number(divDown(index * 10_000n, ONE))

function drawdownBps(readings: readonly Reading[]): number {
  let [peak, worst] = [0n, 0n]
  for (const { index } of readings) {
    if (index > peak) peak = index
    const fall = peak === 0n ? 0n : ((peak - index) * 10_000n + peak - 1n) / peak
    if (fall > worst) worst = fall
  }
  return Number(worst)
}

/** Returns of whole UTC days, each with a reading at its end, in a row up to the last reading. */
function dailyReturns(readings: readonly Reading[]): number[] {
  const ends = new Map<number, bigint>()
  for (const { timeS, index } of readings) ends.set(Math.floor(timeS / DAY_S), index)
  const days = [...ends.keys()].sort((a, b) => b - a)
  const returns: number[] = []
  for (const [i, day] of days.entries()) {
    const before = ends.get(day - 1)
    if (before === undefined || (i > 0 && days[i - 1] !== day + 1)) break
    if (before > 0n) returns.push(Number((ends.get(day)! * 10n ** 12n) / before) / 1e12 - 1)
  }
  return returns
}

function sharpeHundredths(returns: readonly number[]): number | null {
  if (returns.length < SHARPE_MIN_DAYS) return null
  const mean = returns.reduce((sum, one) => sum + one, 0) / returns.length
  const variance = returns.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (returns.length - 1)
  return variance > 0 ? Math.round((mean / Math.sqrt(variance)) * Math.sqrt(DAYS_A_YEAR) * 100) : null
}
