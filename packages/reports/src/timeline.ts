import { NATIVE } from './tokenBook.ts'
import type { Address, ReportInput, ReportPoint, ReportTransaction } from './types.ts'

/** A change of balance that the transactions do not explain. */
export interface Gap {
  token: Address
  /** Above zero came in, below zero left. */
  atoms: bigint
}
export type Step =
  | { at: 'transaction'; transaction: ReportTransaction; before: Gap[] }
  | { at: 'point'; point: ReportPoint; gaps: Gap[] }

/** Change of the wallet's balance of a token by one transaction, gas included. */
const changeOf = ({ moves, gasWei }: ReportTransaction, token: Address): bigint => {
  let change = token === NATIVE ? -gasWei : 0n
  for (const move of moves) if (move.token === token) change += move.atoms
  return change
}

/**
 * Transactions and readings in the order of the chain, with the gaps between them: what came in is placed before
 * the first transaction since the last reading, what left at the reading.
 */
export function timelineOf({ transactions, points, toS }: ReportInput): Step[] {
  const steps = [
    ...[...new Map(transactions.map((one) => [one.hash, one])).values()]
      .filter(({ timeS }) => timeS < toS)
      .map((transaction): Step => ({ at: 'transaction', transaction, before: [] })),
    ...onePerBlock(points.filter(({ timeS }) => timeS < toS)).map(
      (point): Step => ({ at: 'point', point, gaps: [] }),
    ),
  ].sort(byChain)
  const read = new Map<Address, Reading>()
  const readingOf = (token: Address): Reading => {
    const reading = read.get(token) ?? { balance: 0n, lowest: 0n, first: null }
    read.set(token, reading)
    return reading
  }
  for (const step of steps) {
    if (step.at === 'transaction') {
      for (const token of touchedBy(step.transaction)) {
        const reading = readingOf(token)
        reading.first ??= step
        reading.balance += changeOf(step.transaction, token)
        if (reading.balance < reading.lowest) reading.lowest = reading.balance
      }
      continue
    }
    const { balances } = step.point
    for (const token of Object.keys(balances) as Address[])
      closeGap(readingOf(token), token, step, balances[token]!)
  }
  for (const [token, { lowest, first }] of read) addGap(first?.before, token, -lowest)
  for (const step of steps) {
    const gaps = step.at === 'point' ? step.gaps : step.before
    if (gaps.length > 1) gaps.sort(byToken)
  }
  return steps
}

const byToken = (one: Gap, other: Gap): number => (one.token < other.token ? -1 : 1)

/** A block may be read for several reasons. */
function onePerBlock(points: readonly ReportPoint[]): ReportPoint[] {
  const byBlock = new Map<number, ReportPoint>()
  for (const point of points) {
    const other = byBlock.get(point.block)
    byBlock.set(point.block, other ? merged(other, point) : point)
  }
  return [...byBlock.values()]
}

const merged = (one: ReportPoint, other: ReportPoint): ReportPoint => ({
  ...one,
  balances: { ...one.balances, ...other.balances },
  prices: { ...one.prices, ...other.prices },
  multipliers: { ...one.multipliers, ...other.multipliers },
})

/** A token since its last reading. */
interface Reading {
  /** By the transactions. */
  balance: bigint
  /** Below zero where something must have come in before. */
  lowest: bigint
  first: (Step & { at: 'transaction' }) | null
}

function closeGap(reading: Reading, token: Address, step: Step & { at: 'point' }, atoms: bigint): void {
  const missing = atoms - reading.balance
  const needed = -reading.lowest
  const came = missing > needed ? missing : needed
  addGap(reading.first ? reading.first.before : step.gaps, token, came)
  addGap(step.gaps, token, missing - came)
  reading.balance = atoms
  reading.lowest = 0n
  reading.first = null
}

function addGap(gaps: Gap[] | undefined, token: Address, atoms: bigint): void {
  if (atoms !== 0n) gaps?.push({ token, atoms })
}

/** In the order of their addresses; each once. */
function touchedBy({ moves, gasWei }: ReportTransaction): Address[] {
  const tokens: Address[] = gasWei > 0n ? [NATIVE] : []
  for (const { token } of moves) if (!tokens.includes(token)) tokens.push(token)
  return tokens.sort()
}

/** A reading follows its block's transactions. */
function byChain(one: Step, other: Step): number {
  return blockOf(one) - blockOf(other) || positionOf(one) - positionOf(other)
}
const blockOf = (step: Step): number => (step.at === 'point' ? step.point.block : step.transaction.block)
const positionOf = (step: Step): number =>
  step.at === 'point' ? Number.POSITIVE_INFINITY : step.transaction.index
