import type { Backtest } from '@pit/brains/backtest'
import { usdOf } from '@pit/protocol'
import { Badge, Button, Card, Code, count, duration, Facts, Failure, many, shareOf, usd } from '@pit/ui'
import { EquityChart } from '@pit/ui/charts'
import { useMutation } from '@tanstack/react-query'
import { type BacktestRequest, backtestAgent } from '../data/backtestAgent.ts'

const MAX_POINTS = 300

/** Backtests a brain on stored prices. */
export function BacktestPanel({ request }: { request: BacktestRequest }) {
  const backtest = useMutation({ mutationFn: backtestAgent })
  return (
    <Card title="Backtest" actions={<Badge>Stored prices</Badge>}>
      <p>Test it on past prices. It runs in your browser; nothing is sent.</p>
      <div className="row">
        <Button
          busy={backtest.isPending}
          disabled={request.pairs.length === 0}
          onClick={() => backtest.mutate(request)}
        >
          Run backtest
        </Button>
      </div>
      {backtest.error && <Failure error={backtest.error} />}
      {backtest.data && <Outcome run={backtest.data} />}
      <Code text={commandOf(request)} label="Longer periods, in a terminal." />
    </Card>
  )
}

function Outcome({ run }: { run: Backtest }) {
  const every = Math.ceil(run.equity.length / MAX_POINTS)
  const points = run.equity
    .filter((_, i) => i % every === 0 || i === run.equity.length - 1)
    .map(({ atS, microUsd }) => ({ atMs: atS * 1_000, value: usdOf(microUsd) }))
  const end = run.endMicroUsd
  return (
    <>
      {points.length > 1 && (
        <EquityChart label="Equity of the backtest" format={usd} series={[{ name: 'Equity', points }]} />
      )}
      <Facts
        rows={[
          ['Period', `${duration(run.toS - run.fromS)}, ${many(run.ticks, 'decision')}`],
          ['Start value', usd(usdOf(run.startMicroUsd))],
          ['Final value', end === null ? 'unknown: a token has no price' : usd(usdOf(end))],
          ['Orders', `${count(run.fills.length)} filled, ${count(run.refused)} unfunded`],
          ['Max drawdown', shareOf(Number(run.maxDrawdownBps))],
          ['Fees and gas', usd(usdOf(run.feesMicroUsd + run.gasMicroUsd))],
          ['Last decision', run.lastReason.slice(0, 200) || 'none'],
        ]}
      />
      <p className="small faint">
        {`Assumes ${run.terms.slippageBps} bps slippage, ${run.terms.feeBps} bps fee and gas per fill. ` +
          'Past results do not predict future results.'}
      </p>
    </>
  )
}

function commandOf({ brain, params, pairs, intervalS }: BacktestRequest): string {
  const named = pairs.map((pair) => ` --pair ${pair}`).join('')
  const flags = Object.keys(params).length === 0 ? '' : ` --params '${JSON.stringify(params)}'`
  return `pit backtest ${brain}${named} --interval ${intervalS}${flags}`
}
