import type { Report } from '@pit/reports'
import {
  Button,
  Card,
  ether,
  Facts,
  Failure,
  Loading,
  many,
  Notice,
  shareOf,
  signedPct,
  Tabs,
  usd,
} from '@pit/ui'
import { knownText, microUsdText, PERIODS, type Period, saveCsv, type useReport } from '../data/report.ts'

const PERIOD_LABELS: Record<Period, string> = { month: '30 days', year: 'This year', all: 'All' }
const PERIOD_TABS = PERIODS.map((id) => ({ id, label: PERIOD_LABELS[id] }))

/** Profit and loss of a period, computed in the browser. */
export function ProfitCard(props: {
  report: ReturnType<typeof useReport>
  period: Period
  onPeriod(period: Period): void
}) {
  const { report, period } = props
  return (
    <Card
      title="Profit and loss"
      actions={
        <Tabs
          look="segments"
          label="Period"
          tabs={PERIOD_TABS}
          chosen={period}
          onChoose={(id) => props.onPeriod(id as Period)}
        />
      }
    >
      {report.error && <Failure error={report.error} onAgain={() => void report.refetch()} />}
      {!report.data && !report.error && (
        <>
          <p className="small faint">{report.progress}</p>
          <Loading lines={12} />
        </>
      )}
      {report.data && <Totals report={report.data} isOld={report.isPlaceholderData} />}
      <div className="row">
        <Button disabled={!report.data} onClick={() => report.data && void saveCsv(report.data)}>
          Download CSV
        </Button>
        <Button busy={report.isFetching} onClick={() => void report.refetch()}>
          Update
        </Button>
      </div>
    </Card>
  )
}

const pctOf = (bps: number | null): string => (bps === null ? '–' : signedPct(bps / 100))

function Totals({ report: { totals, returns, findings }, isOld }: { report: Report; isOld: boolean }) {
  const { gas, executorGas } = totals
  const apart = findings.filter(({ included }) => !included).length
  const unread = findings.filter(({ problem }) => problem === 'no_history').length
  return (
    <div className={isOld ? 'stack faint' : 'stack'}>
      <Facts
        rows={[
          ['Realised profit', knownText(totals.realised)],
          ['Unrealised profit', knownText(totals.unrealised)],
          ['After gas and fees', knownText(totals.net)],
          ['Platform fees', knownText(totals.fees)],
          ['Gas paid', `${ether(gas.wei)}, ${knownText(gas.value)}`],
          ['Gas of executors', `${ether(executorGas.wei)} (not yours)`],
          ['Deposits', knownText(totals.deposits)],
          ['Withdrawals', knownText(totals.withdrawals)],
          ['Return without flows', pctOf(returns.flowAdjustedBps)],
          ['Max drawdown', returns.maxDrawdownBps === null ? '–' : shareOf(returns.maxDrawdownBps)],
          [
            'Sharpe ratio',
            returns.sharpeHundredths === null ? 'needs 30 days' : (returns.sharpeHundredths / 100).toFixed(2),
          ],
          ['Against holding', microUsdText(returns.againstHoldingMicroUsd)],
          ['Against cash', microUsdText(returns.againstCashMicroUsd)],
        ]}
      />
      {unread > 0 && (
        <Notice tone="warn" title={`Incomplete: ${many(unread, 'trade')} of old blocks`}>
          Your node no longer has the state of their blocks, so their ETH and prices are unknown. Choose a
          node with an archive to read them.
        </Notice>
      )}
      {apart > 0 && (
        <Notice tone="warn" title={`${many(apart, 'listed trade')} left out`}>
          Your node does not confirm them: they are pending, unknown to it or not yours.
        </Notice>
      )}
      <p className="small faint">
        {`Computed in this browser from receipts and balances of your node, oldest lots first. “Unknown” is a ` +
          `balance that no trade explains, such as a deposit: its cost is not ${usd(0)}.`}
      </p>
    </div>
  )
}
