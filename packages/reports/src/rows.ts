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
export const hashOf = (rows: readonly ReportRow[]): Hex => sha256Hex(canonicalRows(rows))

const CANONICAL_COLUMNS = [...REPORT_COLUMNS]
  .sort()
  .map((name, i) => ({ name, before: `${i === 0 ? '{' : ','}"${name}":` }))
const PLAIN = /^[\w .:;,()+=/%&#'-]*$/

/** The same text as `canonicalJson`, faster for the fixed columns of many rows. */
export const canonicalRows = (rows: readonly ReportRow[]): string => `[${rows.map(rowJson).join(',')}]`

function rowJson(row: ReportRow): string {
  let text = ''
  for (const { name, before } of CANONICAL_COLUMNS) text += before + cellJson(row[name])
  return `${text}}`
}

const cellJson = (cell: string): string =>
  cell === '' ? '""' : PLAIN.test(cell) ? `"${cell}"` : canonicalJson(cell)

/** The whole report as text cells: what the CSV and the JSON file contain. */
export function rowsOf(report: Content): ReportRow[] {
  const tokens = new Map(
    report.tokens.map(({ address, symbol, decimals }) => [
      address,
      { symbol: safeText(symbol ?? ''), decimals },
    ]),
  )
  const timeText = createTimeText()
  const amount = (token: Address, atoms: bigint) => {
    const { symbol, decimals } = tokens.get(token)!
    return { token, symbol, amount: decimalText(atoms, decimals) }
  }
  const move = (row: string, { hash, timeS }: Trade, one: Move, more: Partial<ReportRow> = {}): Cells => ({
    ...{ row, time: timeText(timeS), transaction: hash },
    ...amount(one.token, one.atoms),
    ...more,
  })
  const tradeCells = (trade: Trade): Cells[] => [
    {
      ...{ row: 'trade', time: timeText(trade.timeS), transaction: trade.hash, kind: trade.path ?? 'own' },
      value_usd: trade.valuedBy === null ? '' : dollarsOrUnknown(trade.valueMicroUsd),
      profit_usd:
        trade.profit.microUsd === 0n && trade.profit.unknown === 0 ? '' : usd(trade.profit.microUsd),
      note: notes(trade.ok ? null : 'reverted', trade.valuedBy, unknownText(trade.profit)),
    },
    ...trade.gave.map((one) => move('gave', trade, one)),
    ...trade.received.map((one) => move('received', trade, one)),
    ...(trade.wrapped ? [move('wrapped', trade, trade.wrapped)] : []),
    ...trade.fees.map((one) => move('fee', trade, one)),
    ...(trade.gasWei > 0n ? [move('gas', trade, { token: NATIVE, atoms: trade.gasWei })] : []),
    ...(trade.executorGasWei > 0n
      ? [move('executor_gas', trade, { token: NATIVE, atoms: trade.executorGasWei })]
      : []),
  ]
  return [
    ...headCells(report, timeText),
    ...totalCells(report),
    ...returnCells(report),
    ...report.trades.flatMap(tradeCells),
    ...report.disposals.map((one) => ({
      ...{ row: 'disposal', time: timeText(one.timeS), transaction: one.hash, kind: one.kind },
      ...amount(one.token, one.atoms),
      acquired: one.acquiredS === null ? 'unknown' : timeText(one.acquiredS),
      cost_usd: dollarsOrUnknown(one.costMicroUsd),
      value_usd: dollarsOrUnknown(one.proceedsMicroUsd),
      profit_usd: dollarsOrUnknown(one.profitMicroUsd),
    })),
    ...report.flows.map((one) => ({
      ...{ row: 'flow', time: timeText(one.timeS), transaction: one.hash ?? '', kind: one.direction },
      ...amount(one.token, one.atoms),
      ...{ cost_usd: usd(one.cost.microUsd), value_usd: dollarsOrUnknown(one.valueMicroUsd) },
      note: notes(unknownText(one.cost)),
    })),
    ...report.lots.map((one) => ({
      ...{ row: 'lot', transaction: one.acquiredHash ?? '' },
      ...amount(one.token, one.atoms),
      acquired: one.acquiredS === null ? 'unknown' : timeText(one.acquiredS),
      cost_usd: dollarsOrUnknown(one.costMicroUsd),
    })),
    ...report.holdings.map((one) => ({
      row: 'holding',
      ...amount(one.token, one.atoms),
      ...{ cost_usd: usd(one.cost.microUsd), value_usd: dollarsOrUnknown(one.valueMicroUsd) },
      profit_usd: usd(one.unrealised.microUsd),
      note: notes(
        one.price && `price ${decimalText(one.price.priceE18, 18)}${one.price.stale ? ' (stale)' : ''}`,
        one.shareAtoms === null
          ? null
          : `${decimalText(one.shareAtoms, tokens.get(one.token)!.decimals)} shares`,
        unknownText(one.unrealised),
      ),
    })),
    ...report.findings.map((one) => ({
      ...{ row: 'finding', time: timeText(one.timeS), transaction: one.hash ?? '', kind: one.problem },
      note: one.included ? 'included by its receipt' : 'not included',
    })),
  ].map(wholeRow)
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

const EMPTY_ROW = Object.fromEntries(REPORT_COLUMNS.map((name) => [name, ''])) as ReportRow
const wholeRow = (cells: Cells): ReportRow => ({ ...EMPTY_ROW, ...cells })

const usd = (microUsd: bigint): string => decimalText(microUsd, 6)
const dollarsOrUnknown = (microUsd: bigint | null): string => (microUsd === null ? 'unknown' : usd(microUsd))
/** Rows of one transaction have one time. */
function createTimeText(): (timeS: number) => string {
  const last = { timeS: Number.NaN, text: '' }
  return (timeS) => {
    if (timeS !== last.timeS) {
      last.timeS = timeS
      last.text = new Date(timeS * 1000).toISOString().replace('.000Z', 'Z')
    }
    return last.text
  }
}
const unknownText = ({ unknown }: Known): string | null => (unknown === 0 ? null : `${unknown} unknown`)
const notes = (...parts: (string | null)[]): string => parts.filter((part) => part !== null).join('; ')

const CONTROLS = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu
/** Characters that start a formula in a spreadsheet. */
const FORMULA = /^[\s=+\-@|%＝＋－＠]/u

/** Symbols are other people's text: no control characters, and nothing that a spreadsheet would run. */
export function safeText(text: string): string {
  const plain = text.replace(CONTROLS, '�')
  return FORMULA.test(plain) ? `'${plain}` : plain
}
