import { knownOf, NOTHING, sumOf } from './known.ts'
import { createLots, divide, type LotQueue, type Piece } from './lots.ts'
import { type Gap, type Step, timelineOf } from './timeline.ts'
import { createTokenBook, NATIVE, type TokenBook } from './tokenBook.ts'
import { type Sides, sidesOf, takeWrapped, valueTrade } from './tradeSides.ts'
import type {
  Address,
  Disposal,
  Flow,
  Hex,
  LotMethod,
  Move,
  Prices,
  ReportInput,
  ReportPoint,
  ReportTransaction,
  Trade,
} from './types.ts'

export type Held = ReadonlyMap<Address, { atoms: bigint; knownCostMicroUsd: bigint }>
/** The wallet at the end of a block. */
export interface Snapshot {
  point: ReportPoint
  /** Of all holdings: at the prices of the reading, a token without one at its known cost. */
  valueMicroUsd: bigint
  /** Lengths of `flows` and `outside` up to here. */
  flows: number
  outside: number
}
export type OpenLots = ReadonlyMap<Address, readonly Piece[]>

export interface Ledger {
  book: TokenBook
  trades: Trade[]
  disposals: Disposal[]
  flows: Flow[]
  /** Dollars that entered or left the valued holdings; a flow for returns. */
  outside: bigint[]
  snapshots: Snapshot[]
  /** Holdings at the period's opening snapshot: the last one before it, else the first one in it. */
  openingHeld: Held
  opening: OpenLots
  closing: OpenLots
  closingCash: ReadonlyMap<Address, bigint>
}

export const yearOf = (timeS: number): number => new Date(timeS * 1000).getUTCFullYear()

/** Plays the wallet's history through its lots. */
export function keepLedger(input: ReportInput): Ledger {
  const book = createTokenBook(input.tokens)
  const lots = new Map<Address, LotQueue>()
  const cash = new Map<Address, bigint>()
  const ledger: Ledger = {
    ...{ book, trades: [], disposals: [], flows: [], outside: [], snapshots: [], openingHeld: new Map() },
    ...{ opening: new Map(), closing: new Map(), closingCash: cash },
  }
  let order = 0
  const queueOf = (token: Address): LotQueue => {
    const queue = lots.get(token) ?? createLots()
    lots.set(token, queue)
    return queue
  }
  const addCash = (token: Address, atoms: bigint) => cash.set(token, (cash.get(token) ?? 0n) + atoms)
  const methodAt = (timeS: number): LotMethod => input.methods?.[yearOf(timeS)] ?? 'fifo'
  const take = (token: Address, atoms: bigint, timeS: number) => queueOf(token).take(atoms, methodAt(timeS))
  const open = () => new Map([...lots].map(([token, queue]) => [token, queue.open()] as const))

  function flow({ token, atoms }: Gap, timeS: number, prices: Prices, hash: Hex | null): void {
    const size = atoms < 0n ? -atoms : atoms
    const valueMicroUsd = book.worth(token, size, prices)
    const row = {
      timeS,
      token,
      atoms: size,
      hash,
      valueMicroUsd,
      direction: atoms > 0n ? 'in' : 'out',
    } as const
    if (book.isCash(token)) {
      addCash(token, atoms)
      ledger.flows.push({ ...row, cost: knownOf(valueMicroUsd) })
    } else if (atoms > 0n) {
      const unknown = { costMicroUsd: null, acquiredS: null, acquiredHash: null }
      queueOf(token).add({ order: order++, atoms, ...unknown })
      ledger.flows.push({ ...row, cost: knownOf(null) })
    } else {
      const cost = sumOf(take(token, size, timeS).map(({ costMicroUsd }) => costMicroUsd))
      ledger.flows.push({ ...row, cost })
    }
  }

  /** Flows at a reading. Lots that left as ETH and came in as WETH, or back, were wrapped without Pit. */
  function closeGaps(gaps: readonly Gap[], { timeS, prices }: ReportPoint): void {
    if (gaps.length === 0) return
    const net = new Map(gaps.map(({ token, atoms }) => [token, atoms]))
    const wrapped = takeWrapped(net, book)
    if (wrapped) {
      const cost = sumOf(moveLots(wrapped, timeS).map(({ costMicroUsd }) => costMicroUsd))
      const row = { timeS, atoms: wrapped.atoms, hash: null, cost }
      for (const [token, direction] of [[wrapped.from, 'out'] as const, [wrapped.to, 'in'] as const])
        ledger.flows.push({ ...row, token, direction, valueMicroUsd: book.worth(token, row.atoms, prices) })
    }
    for (const [token, atoms] of net) if (atoms !== 0n) flow({ token, atoms }, timeS, prices, null)
  }

  /** Lots keep their cost and date. */
  function moveLots({ from, to, atoms }: NonNullable<Sides['wrapped']>, timeS: number): Piece[] {
    const pieces = take(from, atoms, timeS)
    for (const piece of pieces) queueOf(to).add(piece)
    return pieces
  }

  function dispose(
    kind: Disposal['kind'],
    { token, atoms }: Move,
    { hash, timeS, prices }: ReportTransaction,
    proceedsMicroUsd: bigint | null,
  ): Disposal[] {
    const pieces = take(token, atoms, timeS)
    const sizes = pieces.map((piece) => piece.atoms)
    const proceeds = proceedsMicroUsd === null ? null : divide(proceedsMicroUsd, sizes)
    const disposals = pieces.map((piece, i): Disposal => {
      const { acquiredS, acquiredHash, costMicroUsd } = piece
      const got = proceeds?.[i] ?? null
      const profitMicroUsd = costMicroUsd === null || got === null ? null : got - costMicroUsd
      if (!prices[token] && costMicroUsd === null && got !== null) ledger.outside.push(got)
      if (costMicroUsd !== null && got === null) ledger.outside.push(-costMicroUsd)
      const disposal: Disposal = {
        hash,
        timeS,
        kind,
        token,
        atoms: piece.atoms,
        acquiredS,
        acquiredHash,
        costMicroUsd,
        proceedsMicroUsd: got,
        profitMicroUsd,
      }
      ledger.disposals.push(disposal)
      return disposal
    })
    return disposals
  }

  function acquire({ token, atoms }: Move, { hash, timeS }: ReportTransaction, costMicroUsd: bigint | null) {
    queueOf(token).add({ order: order++, atoms, costMicroUsd, acquiredS: timeS, acquiredHash: hash })
  }

  /** One side only: a fee paid apart, else a transfer. */
  function transfer(sides: Sides, transaction: ReportTransaction): void {
    const { hash, timeS, prices, fees, moves } = transaction
    for (const { token, atoms } of moves.filter(({ token }) => book.isCash(token)))
      flow({ token, atoms }, timeS, prices, hash)
    for (const { token, atoms } of sides.gave) {
      const fee = fees.reduce((sum, one) => (one.token === token ? sum + one.atoms : sum), 0n)
      const paid = fee < atoms ? fee : atoms
      if (paid > 0n) dispose('fee', { token, atoms: paid }, transaction, 0n)
      if (atoms > paid) flow({ token, atoms: paid - atoms }, timeS, prices, hash)
    }
    for (const move of sides.received) flow(move, timeS, prices, hash)
  }

  function trade(
    sides: Sides,
    transaction: ReportTransaction,
  ): Pick<Trade, 'valueMicroUsd' | 'valuedBy' | 'profit'> {
    const valued = valueTrade(sides, transaction.prices, book)
    const disposed = sides.gave.flatMap((move, i) => dispose('trade', move, transaction, valued.gave[i]!))
    for (const [i, move] of sides.received.entries()) acquire(move, transaction, valued.received[i]!)
    for (const { token, atoms } of transaction.moves) if (book.isCash(token)) addCash(token, atoms)
    const gaveSum = sumOf(valued.gave)
    const value = gaveSum.unknown > 0 ? null : gaveSum.microUsd + sides.paidCashMicroUsd
    const profit = sumOf(disposed.map(({ profitMicroUsd }) => profitMicroUsd))
    return { valueMicroUsd: value, valuedBy: valued.valuedBy, profit }
  }

  function play(transaction: ReportTransaction): void {
    const { hash, timeS, path, ok, fees, gasWei, executorGasWei, approval } = transaction
    const sides = sidesOf(transaction, book)
    const { gave, received, paidCashMicroUsd, gotCashMicroUsd, wrapped } = sides
    if (wrapped) moveLots(wrapped, timeS)
    const isTrade =
      (gave.length > 0 || paidCashMicroUsd > 0n) && (received.length > 0 || gotCashMicroUsd > 0n)
    const result = isTrade ? trade(sides, transaction) : null
    if (!result) transfer(sides, transaction)
    if (gasWei > 0n) dispose('gas', { token: NATIVE, atoms: gasWei }, transaction, 0n)
    if (result)
      for (const { token, atoms } of transaction.moves) {
        if (!book.isCash(token)) continue
        if (atoms < 0n) gave.push({ token, atoms: -atoms })
        else if (atoms > 0n) received.push({ token, atoms })
      }
    ledger.trades.push({
      hash,
      timeS,
      path,
      ok,
      fees,
      gasWei,
      executorGasWei,
      gave: result ? gave : [],
      received: result ? received : [],
      wrapped: wrapped && { token: wrapped.to, atoms: wrapped.atoms },
      valueMicroUsd: result?.valueMicroUsd ?? null,
      valuedBy: result?.valuedBy ?? null,
      profit: result?.profit ?? NOTHING,
      ...(approval !== undefined && { approval }),
    })
  }

  function step(one: Step): void {
    if (one.at === 'transaction') {
      const { timeS, prices } = one.transaction
      for (const gap of one.before) flow(gap, timeS, prices, null)
      play(one.transaction)
      return
    }
    const { point, gaps } = one
    closeGaps(gaps, point)
    if (ledger.snapshots.length === 0 || point.timeS < input.fromS) ledger.openingHeld = held()
    ledger.snapshots.push({
      point,
      valueMicroUsd: valueAt(point.prices),
      flows: ledger.flows.length,
      outside: ledger.outside.length,
    })
  }

  function held(): Held {
    const all = new Map([...cash].map(([token, atoms]) => [token, { atoms, knownCostMicroUsd: 0n }]))
    for (const [token, queue] of lots)
      all.set(token, { atoms: queue.atoms(), knownCostMicroUsd: queue.knownCost() })
    return all
  }

  function valueAt(prices: Prices): bigint {
    let sum = 0n
    for (const [token, atoms] of cash) sum += book.worth(token, atoms, prices) ?? 0n
    for (const [token, queue] of lots) sum += book.worth(token, queue.atoms(), prices) ?? queue.knownCost()
    return sum
  }

  const steps = timelineOf(input)
  const from = steps.findIndex((one) => timeOf(one) >= input.fromS)
  for (const [i, one] of steps.entries()) {
    if (i === from) ledger.opening = open()
    step(one)
  }
  ledger.closing = open()
  if (from < 0) ledger.opening = ledger.closing
  return ledger
}

const timeOf = (one: Step): number => (one.at === 'point' ? one.point : one.transaction).timeS
