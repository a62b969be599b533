import { NATIVE } from '@pit/chain'
import { dollarsText, etherText, groupedText } from '@pit/protocol'
import type { Finding, Known, Report } from '@pit/reports'
import { timeText } from '../client/show.ts'
import { table } from '../client/terminal.ts'

const PROBLEMS: Record<Finding['problem'], string> = {
  pending: 'not mined yet',
  no_receipt: 'your node has no such transaction',
  not_yours: 'did not move your wallet’s funds',
  no_history: 'your node has no balances at that block',
  status_differs: 'the server states another outcome than the receipt',
  amounts_differ: 'the server states better amounts than the receipt',
  not_listed: 'not in the server’s list',
}

/** The report for a terminal: totals, returns, holdings, and what could not be used as served. */
export function reportText(report: Report): string {
  const { totals, returns, holdings, findings, trades, flows } = report
  const tokens = new Map(report.tokens.map((token) => [token.address, token]))
  const nameOf = (token: Report['tokens'][number]['address']) => tokens.get(token)?.symbol ?? token
  const whole = (token: Report['tokens'][number]['address'], atoms: bigint) =>
    groupedText(atoms, tokens.get(token)?.decimals ?? 0)
  const unexplained = flows.filter(({ hash }) => hash === null)
  const etherOut = unexplained
    .filter(({ token, direction }) => token === NATIVE && direction === 'out')
    .reduce((sum, { atoms }) => sum + atoms, 0n)
  const sections = [
    table([
      ['period (UTC)', `${timeText(report.fromS)} to ${timeText(report.toS)}`],
      ['transactions', transactionsText(trades)],
      ['deposits, withdrawals and other unexplained flows', String(unexplained.length)],
      ['realised profit', knownText(totals.realised)],
      ['cost of gas', knownText(totals.gas.cost)],
      ['cost of separate fees', knownText(totals.feesApartCost)],
      ['net profit', knownText(totals.net)],
      ['unrealised profit', knownText(totals.unrealised)],
      ['platform fees', knownText(totals.fees)],
      ['gas paid', `${etherText(totals.gas.wei)}, ${knownText(totals.gas.value)}`],
      [
        'gas paid by executors',
        `${etherText(totals.executorGas.wei)}, ${knownText(totals.executorGas.value)}`,
      ],
      ['ETH out without a listed trade', `${etherText(etherOut)}, such as gas of other transactions`],
    ]),
    table([
      ['value at start', dollars(returns.openingMicroUsd)],
      ['value at end', dollars(returns.closingMicroUsd)],
      ['return without flows', percent(returns.flowAdjustedBps)],
      ['max drawdown', percent(returns.maxDrawdownBps)],
      ['Sharpe ratio', returns.sharpeHundredths === null ? '–' : (returns.sharpeHundredths / 100).toFixed(2)],
      ['compared with holding', dollars(returns.againstHoldingMicroUsd)],
      ['compared with cash', dollars(returns.againstCashMicroUsd)],
    ]),
    table([
      ['token', 'amount', 'shares', 'cost', 'value', 'unrealised profit'],
      ...holdings.map((one) => [
        nameOf(one.token),
        whole(one.token, one.atoms),
        one.shareAtoms === null ? null : whole(one.token, one.shareAtoms),
        knownText(one.cost),
        dollars(one.valueMicroUsd),
        knownText(one.unrealised),
      ]),
    ]),
  ]
  const approvals = trades.filter(({ approval }) => approval !== undefined)
  if (approvals.length > 0)
    sections.push(
      table([
        ['time', 'transaction', 'approval', 'gas'],
        ...approvals.map((one) => [timeText(one.timeS), one.hash, one.approval!, etherText(one.gasWei)]),
      ]),
    )
  if (findings.length > 0)
    sections.push(
      table([
        ['time', 'transaction', 'in the report', 'problem'],
        ...findings.map((one) => [
          timeText(one.timeS),
          one.hash,
          one.included ? 'yes, by its receipt' : 'no',
          PROBLEMS[one.problem],
        ]),
      ]),
    )
  sections.push(`hash ${report.hash}`)
  return sections.join('\n\n')
}

function transactionsText(trades: Report['trades']): string {
  const approvals = trades.filter(({ approval }) => approval !== undefined).length
  return approvals === 0 ? String(trades.length) : `${trades.length}, of them ${approvals} approvals`
}

const dollars = (microUsd: bigint | null): string | null => (microUsd === null ? null : dollarsText(microUsd))

function knownText({ microUsd, unknown }: Known): string {
  const text = dollarsText(microUsd)
  return unknown === 0 ? text : `${text} and ${unknown} unknown`
}

const percent = (bps: number | null): string | null => (bps === null ? null : `${(bps / 100).toFixed(2)} %`)
