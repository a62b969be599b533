import { canonicalJson, decimalText } from '@pit/protocol'
import { sha256Hex } from './sha256.ts'
import { NATIVE } from './tokenBook.ts'
import {
  type Address,
  type Hex,
  type Known,
  type Move,
  REPORT_COLUMNS,
  type Report,
  type ReportRow,
  type Trade,
} from './types.ts'

type Content = Omit<Report, 'rows' | 'hash'>
type Cells = Partial<ReportRow> & { row: string }

/** SHA-256 of the rows as canonical JSON. */
export const hashOf = (rows: readonly ReportRow[]): Hex => sha256Hex(canonicalParts(rows))

const CANONICAL_COLUMNS = [...REPORT_COLUMNS]
  .sort()
  .map((name, i) => ({ name, before: `${i === 0 ? '{' : ','}"${name}":` }))
const PLAIN = /^[\w .:;,()+=/%&#'-]*$/

/** The same text as `canonicalJson`, faster for the fixed columns of many rows. */
export const canonicalRows = (rows: readonly ReportRow[]): string => [...canonicalParts(rows)].join('')

const ROWS_A_PART = 200

function* canonicalParts(rows: readonly ReportRow[]): Generator<string> {
  yield '['
  for (let from = 0; from < rows.length; from += ROWS_A_PART) {
    let text = from === 0 ? '' : ','
    const end = Math.min(rows.length, from + ROWS_A_PART)
    for (let i = from; i < end; i++) text += (i === from ? '' : ',') + rowJson(rows[i]!)
    yield text
  }
  yield ']'
}

function rowJson(row: ReportRow): string {
  let text = ''
  for (const { name, before } of CANONICAL_COLUMNS) text += before + cellJson(row[name])
  return `${text}}`
}

const cellJson = (cell: string): string =>
  cell === '' ? '""' : PLAIN.test(cell) ? `"${cell}"` : canonicalJson(cell)

/** The whole report as text cells: what the CSV and the JSON file contain. */
export function rowsOf(report: Content): ReportRow[] {
  const rows: ReportRow[] = []
  const add = (cells: Cells) => void rows.push(wholeRow(cells))
  const tokens = new Map(
    report.tokens.map(({ address, symbol, decimals }) => [
      address,
      { symbol: safeText(symbol ?? ''), decimals },
    ]),
  )
  const timeText = createTimeText()
  const amountOf = (token: Address, atoms: bigint) => decimalText(atoms, tokens.get(token)!.decimals)
  const symbolOf = (token: Address) => tokens.get(token)!.symbol
  // The two kinds of which there are most are whole at once.
  const addMove = (row: string, { hash, timeS }: Trade, { token, atoms }: Move) =>
    void rows.push({
      row,
      time: timeText(timeS),
      transaction: hash,
      kind: '',
      token,
      symbol: symbolOf(token),
      amount: amountOf(token, atoms),
      acquired: '',
      cost_usd: '',
      value_usd: '',
      profit_usd: '',
      note: '',
    })
  for (const cells of headCells(report, timeText)) add(cells)
  for (const cells of totalCells(report)) add(cells)
  for (const cells of returnCells(report)) add(cells)
  for (const trade of report.trades) {
    const { gave, received, wrapped, fees, gasWei, executorGasWei, profit } = trade
    add({
      row: 'trade',
      time: timeText(trade.timeS),
      transaction: trade.hash,
      kind: trade.path ?? (trade.approval === undefined ? 'own' : 'approval'),
      value_usd: trade.valuedBy === null ? '' : dollarsOrUnknown(trade.valueMicroUsd),
      profit_usd: profit.microUsd === 0n && profit.unknown === 0 ? '' : usd(profit.microUsd),
      note: notes(trade.approval ?? null, trade.ok ? null : 'reverted', trade.valuedBy, unknownText(profit)),
    })
    for (const one of gave) addMove('gave', trade, one)
    for (const one of received) addMove('received', trade, one)
    if (wrapped) addMove('wrapped', trade, wrapped)
    for (const one of fees) addMove('fee', trade, one)
    if (gasWei > 0n) addMove('gas', trade, { token: NATIVE, atoms: gasWei })
    if (executorGasWei > 0n) addMove('executor_gas', trade, { token: NATIVE, atoms: executorGasWei })
  }
  for (const one of report.disposals)
    rows.push({
      row: 'disposal',
      time: timeText(one.timeS),
      transaction: one.hash,
      kind: one.kind,
      token: one.token,
      symbol: symbolOf(one.token),
      amount: amountOf(one.token, one.atoms),
      acquired: one.acquiredS === null ? 'unknown' : timeText(one.acquiredS),
      cost_usd: dollarsOrUnknown(one.costMicroUsd),
      value_usd: dollarsOrUnknown(one.proceedsMicroUsd),
      profit_usd: dollarsOrUnknown(one.profitMicroUsd),
      note: '',
    })
  for (const one of report.flows)
    add({
      row: 'flow',
      time: timeText(one.timeS),
      transaction: one.hash ?? '',
      kind: one.direction,
      token: one.token,
      symbol: symbolOf(one.token),
      amount: amountOf(one.token, one.atoms),
      cost_usd: usd(one.cost.microUsd),
      value_usd: dollarsOrUnknown(one.valueMicroUsd),
      note: notes(unknownText(one.cost)),
    })
  for (const one of report.lots)
    add({
      row: 'lot',
      transaction: one.acquiredHash ?? '',
      token: one.token,
      symbol: symbolOf(one.token),
      amount: amountOf(one.token, one.atoms),
      acquired: one.acquiredS === null ? 'unknown' : timeText(one.acquiredS),
      cost_usd: dollarsOrUnknown(one.costMicroUsd),
    })
  for (const one of report.holdings)
    add({
      row: 'holding',
      token: one.token,
      symbol: symbolOf(one.token),
      amount: amountOf(one.token, one.atoms),
      cost_usd: usd(one.cost.microUsd),
      value_usd: dollarsOrUnknown(one.valueMicroUsd),
      profit_usd: usd(one.unrealised.microUsd),
      note: notes(
        one.price && `price ${decimalText(one.price.priceE18, 18)}${one.price.stale ? ' (stale)' : ''}`,
        one.shareAtoms === null ? null : `${amountOf(one.token, one.shareAtoms)} shares`,
        unknownText(one.unrealised),
      ),
    })
  for (const one of report.findings)
    add({
      row: 'finding',
      time: timeText(one.timeS),
      transaction: one.hash ?? '',
      kind: one.problem,
      note: one.included ? 'included by its receipt' : 'not included',
    })
  return rows
}

const headCells = (
  { format, chainId, wallet, fromS, toS, methods }: Content,
  timeText: (timeS: number) => string,
): Cells[] => [
  { row: 'report', kind: 'format', note: format },
  { row: 'report', kind: 'chain', note: String(chainId) },
  { row: 'report', kind: 'wallet', note: wallet },
  { row: 'report', kind: 'from', time: timeText(fromS) },
  { row: 'report', kind: 'to', time: timeText(toS) },
  ...Object.entries(methods).map(([year, method]) => ({
    row: 'report',
    kind: 'method',
    note: `${year} ${method}`,
  })),
]

function totalCells({ totals }: Content): Cells[] {
  const profit = (kind: string, known: Known): Cells => ({
    ...{ row: 'total', kind, profit_usd: usd(known.microUsd), note: notes(unknownText(known)) },
  })
  const value = (kind: string, known: Known, more: Partial<ReportRow> = {}): Cells => ({
    ...{ row: 'total', kind, value_usd: usd(known.microUsd), note: notes(unknownText(known)), ...more },
  })
  const ether = (wei: bigint) => ({ token: NATIVE, symbol: 'ETH', amount: decimalText(wei, 18) })
  const { gas, executorGas } = totals
  return [
    profit('realised', totals.realised),
    profit('unrealised', totals.unrealised),
    profit('unrealised_at_start', totals.unrealisedAtStart),
    profit('net', totals.net),
    value('fees', totals.fees),
    value('fees_apart_cost', totals.feesApartCost),
    value('gas', gas.value, { ...ether(gas.wei), cost_usd: usd(gas.cost.microUsd) }),
    value('executor_gas', executorGas.value, ether(executorGas.wei)),
    value('deposits', totals.deposits),
    value('withdrawals', totals.withdrawals),
  ]
}

function returnCells({ returns }: Content): Cells[] {
  const dollars = (kind: string, microUsd: bigint | null): Cells => ({
    ...{ row: 'return', kind, value_usd: dollarsOrUnknown(microUsd) },
  })
  const number = (kind: string, one: number | null): Cells => ({
    ...{ row: 'return', kind, note: one === null ? 'unknown' : String(one) },
  })
  return [
    dollars('opening', returns.openingMicroUsd),
    dollars('closing', returns.closingMicroUsd),
    number('flow_adjusted_bps', returns.flowAdjustedBps),
    number('max_drawdown_bps', returns.maxDrawdownBps),
    number('sharpe_hundredths', returns.sharpeHundredths),
    number('daily_returns', returns.dailyReturns),
    dollars('against_holding', returns.againstHoldingMicroUsd),
    dollars('against_cash', returns.againstCashMicroUsd),
  ]
}

/** One literal for every row: copies of objects took most of the time. */
const wholeRow = (cells: Cells): ReportRow => ({
  row: cells.row,
  time: cells.time ?? '',
  transaction: cells.transaction ?? '',
  kind: cells.kind ?? '',
  token: cells.token ?? '',
  symbol: cells.symbol ?? '',
  amount: cells.amount ?? '',
  acquired: cells.acquired ?? '',
  cost_usd: cells.cost_usd ?? '',
  value_usd: cells.value_usd ?? '',
  profit_usd: cells.profit_usd ?? '',
  note: cells.note ?? '',
})

const usd = (microUsd: bigint): string => decimalText(microUsd, 6)
const dollarsOrUnknown = (microUsd: bigint | null): string => (microUsd === null ? 'unknown' : usd(microUsd))
/** Many rows share a time. */
function createTimeText(): (timeS: number) => string {
  const texts = new Map<number, string>()
  return (timeS) => {
    let text = texts.get(timeS)
    if (text === undefined) {
      text = new Date(timeS * 1000).toISOString().replace('.000Z', 'Z')
      texts.set(timeS, text)
    }
    return text
  }
}
const unknownText = ({ unknown }: Known): string | null => (unknown === 0 ? null : `${unknown} unknown`)
function notes(...parts: (string | null)[]): string {
  let text = ''
  for (const part of parts) if (part !== null) text += text === '' ? part : `; ${part}`
  return text
}

const CONTROLS = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu
/** Characters that start a formula in a spreadsheet. */
const FORMULA = /^[\s=+\-@|%＝＋－＠]/u

/** Symbols are other people's text: no control characters, and nothing that a spreadsheet would run. */
export function safeText(text: string): string {
  const plain = text.replace(CONTROLS, '�')
  return FORMULA.test(plain) ? `'${plain}` : plain
}
