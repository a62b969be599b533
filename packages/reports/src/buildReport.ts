import { divDown } from '@pit/protocol'
import { knownOf, minus, NOTHING, plus, sumOf, sumOfKnown } from './known.ts'
import { keepLedger, type Ledger, type OpenLots, type Snapshot, yearOf } from './ledger.ts'
import { divide, type Piece } from './lots.ts'
import { readReturns } from './returns.ts'
import { hashOf, rowsOf } from './rows.ts'
import { NATIVE } from './tokenBook.ts'
import {
  type Address,
  type Disposal,
  type Flow,
  type Hex,
  type Holding,
  type Known,
  type LotMethod,
  type OpenLot,
  type Prices,
  REPORT_FORMAT,
  type Report,
  type ReportInput,
  type ReportRow,
  type ReportTransaction,
  type Totals,
} from './types.ts'

/** Profit and loss of a wallet in a period. Pure: the same input, in any order, gives the same report. */
export function buildReport(input: ReportInput): Report {
  const { chainId, wallet, fromS, toS } = input
  const ledger = keepLedger(input)
  const isInPeriod = ({ timeS }: { timeS: number }) => timeS >= fromS && timeS < toS
  const [opening, closing] = endsOf(ledger, fromS)
  const holdings = holdingsOf(ledger, closing)
  const used = tokensIn(ledger, holdings)
  const content = {
    format: REPORT_FORMAT,
    ...{ chainId, wallet, fromS, toS },
    methods: methodsOf(input, ledger.disposals.filter(isInPeriod)),
    tokens: input.tokens.filter(({ address }) => used.has(address)).sort(byAddress),
    trades: ledger.trades.filter(isInPeriod),
    disposals: ledger.disposals.filter(isInPeriod),
    flows: ledger.flows.filter(isInPeriod),
    lots: openLots(ledger.closing),
    holdings,
    totals: totalsOf(input, ledger, {
      start: unrealisedOf(ledger, ledger.opening, opening?.point.prices ?? {}),
      end: sumOfKnown(holdings.map(({ unrealised }) => unrealised)),
    }),
    returns: readReturns(ledger, { fromS }),
    findings: (input.findings ?? []).filter(isInPeriod).sort(byTime),
  } as const
  // Rows and their hash take longer than the rest, and a page may not need them.
  let rows: readonly ReportRow[] | undefined
  let hash: Hex | undefined
  return {
    ...content,
    get rows() {
      rows ??= rowsOf(content)
      return rows
    },
    get hash() {
      hash ??= hashOf(this.rows)
      return hash
    },
  }
}

const byAddress = (a: { address: string }, b: { address: string }): number => (a.address < b.address ? -1 : 1)
const byTime = (a: { timeS: number; hash: string | null }, b: typeof a): number =>
  a.timeS - b.timeS || ((a.hash ?? '') < (b.hash ?? '') ? -1 : 1)

/** The last readings before the period and in it. */
function endsOf({ snapshots }: Ledger, fromS: number): [Snapshot | undefined, Snapshot | undefined] {
  return [snapshots.findLast(({ point }) => point.timeS < fromS), snapshots.at(-1)]
}

function tokensIn({ trades, flows }: Ledger, holdings: readonly Holding[]): ReadonlySet<Address> {
  const tokens = new Set<Address>()
  for (const { token } of holdings) tokens.add(token)
  for (const { token } of flows) tokens.add(token)
  for (const { gave, received, wrapped, fees, gasWei, executorGasWei } of trades) {
    for (const { token } of gave) tokens.add(token)
    for (const { token } of received) tokens.add(token)
    for (const { token } of fees) tokens.add(token)
    if (wrapped) tokens.add(wrapped.token)
    if (gasWei > 0n || executorGasWei > 0n) tokens.add(NATIVE)
  }
  return tokens
}

/** Of the years in which lots were consumed. */
function methodsOf({ methods = {} }: ReportInput, disposals: readonly Disposal[]): Record<number, LotMethod> {
  const years = new Set(disposals.map(({ timeS }) => yearOf(timeS)))
  return Object.fromEntries([...years].map((year) => [year, methods[year] ?? 'fifo']))
}

const openLots = (lots: OpenLots): OpenLot[] =>
  sorted(lots).flatMap(([token, pieces]) =>
    pieces.map(({ atoms, acquiredS, acquiredHash, costMicroUsd }) => ({
      ...{ token, atoms, acquiredS, acquiredHash, costMicroUsd },
    })),
  )

const sorted = <T>(map: ReadonlyMap<Address, T>): [Address, T][] =>
  [...map].sort(([a], [b]) => (a < b ? -1 : 1))

function holdingsOf({ book, closing, closingCash }: Ledger, end: Snapshot | undefined): Holding[] {
  const prices = end?.point.prices ?? {}
  const multipliers = end?.point.multipliers ?? {}
  const holdings: Holding[] = []
  for (const [token, atoms] of sorted(closingCash)) {
    const value = book.worth(token, atoms, prices)
    const cash = { shareAtoms: null, cost: knownOf(value), price: prices[token] ?? null, unrealised: NOTHING }
    if (atoms > 0n) holdings.push({ token, atoms, valueMicroUsd: value, ...cash })
  }
  for (const [token, pieces] of sorted(closing)) {
    const atoms = pieces.reduce((sum, piece) => sum + piece.atoms, 0n)
    if (atoms === 0n) continue
    const multiplierE18 = multipliers[token]
    holdings.push({
      ...{ token, atoms },
      shareAtoms: multiplierE18 === undefined ? null : divDown(atoms * multiplierE18, 10n ** 18n),
      cost: sumOf(pieces.map(({ costMicroUsd }) => costMicroUsd)),
      price: prices[token] ?? null,
      valueMicroUsd: book.worth(token, atoms, prices),
      unrealised: unrealisedIn(pieces, book.worth(token, atoms, prices)),
    })
  }
  return holdings
}

function unrealisedIn(pieces: readonly Piece[], value: bigint | null): Known {
  if (value === null) return sumOf(pieces.map(() => null))
  const values = divide(
    value,
    pieces.map(({ atoms }) => atoms),
  )
  return sumOf(
    pieces.map(({ costMicroUsd }, i) => (costMicroUsd === null ? null : values[i]! - costMicroUsd)),
  )
}

function unrealisedOf({ book }: Ledger, lots: OpenLots, prices: Prices): Known {
  return sumOfKnown(
    sorted(lots).map(([token, pieces]) => {
      const atoms = pieces.reduce((sum, piece) => sum + piece.atoms, 0n)
      return unrealisedIn(pieces, book.worth(token, atoms, prices))
    }),
  )
}

function totalsOf(input: ReportInput, ledger: Ledger, unrealised: { start: Known; end: Known }): Totals {
  const isInPeriod = ({ timeS }: { timeS: number }) => timeS >= input.fromS && timeS < input.toS
  const transactions = input.transactions.filter(isInPeriod)
  const disposals = ledger.disposals.filter(isInPeriod)
  const flows = ledger.flows.filter(isInPeriod)
  const costOf = (kind: 'gas' | 'fee') =>
    sumOf(disposals.filter((one) => one.kind === kind).map(({ costMicroUsd }) => costMicroUsd))
  const gasOf = (wei: (one: ReportTransaction) => bigint) => ({
    wei: transactions.reduce((sum, one) => sum + wei(one), 0n),
    value: sumOf(
      transactions
        .filter((one) => wei(one) > 0n)
        .map((one) => ledger.book.worth(NATIVE, wei(one), one.prices)),
    ),
  })
  const realised = sumOf(
    disposals.filter(({ kind }) => kind === 'trade').map(({ profitMicroUsd }) => profitMicroUsd),
  )
  const [gasCost, feesApartCost] = [costOf('gas'), costOf('fee')]
  return {
    realised,
    unrealised: unrealised.end,
    unrealisedAtStart: unrealised.start,
    fees: sumOf(
      transactions.flatMap(({ fees, prices }) =>
        fees.map(({ token, atoms }) => ledger.book.worth(token, atoms, prices)),
      ),
    ),
    feesApartCost,
    gas: { ...gasOf(({ gasWei }) => gasWei), cost: gasCost },
    executorGas: gasOf(({ executorGasWei }) => executorGasWei),
    net: minus(realised, plus(gasCost, feesApartCost)),
    deposits: flowsOf(flows, 'in'),
    withdrawals: flowsOf(flows, 'out'),
  }
}

const flowsOf = (flows: readonly Flow[], direction: Flow['direction']): Known =>
  sumOf(flows.filter((one) => one.direction === direction).map(({ valueMicroUsd }) => valueMicroUsd))
