import type { Backtest } from '@pit/brains/backtest'
import { usdOf } from '@pit/protocol'
import { useMutation } from '@tanstack/react-query'
import { LineChart } from '../charts/charts.tsx'
import { count, duration, many, shareOf, usd } from '../data/format.ts'
import { type RehearsalRequest, rehearse } from '../data/rehearse.ts'
import { Badge, Button, Card, Code, Facts } from '../design/parts.tsx'
import { Failure } from '../design/states.tsx'

const MAX_POINTS = 300

/** What the brain would have done with the prices that were. */
export function Rehearse({ request }: { request: RehearsalRequest }) {
  const rehearsing = useMutation({ mutationFn: rehearse })
  return (
    <Card title="Rehearse it first" actions={<Badge>Stored prices</Badge>}>
      <p>What would it have done with the prices that were? Nothing is sent: it runs in this page.</p>
      <div className="row">
        <Button
          busy={rehearsing.isPending}
          disabled={request.pairs.length === 0}
          onClick={() => rehearsing.mutate(request)}
        >
          Rehearse
        </Button>
      </div>
      {rehearsing.error && <Failure error={rehearsing.error} />}
      {rehearsing.data && <Outcome run={rehearsing.data} />}
      <Code text={commandOf(request)} label="The same over longer times, in a terminal." />
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
      {points.length > 1 && <LineChart label="Equity" format={usd} lines={[{ name: 'Equity', points }]} />}
      <Facts
        rows={[
          ['Over', `${duration(run.toS - run.fromS)}, ${many(run.ticks, 'tick')}`],
          ['Began with', usd(usdOf(run.startMicroUsd))],
          ['Would have', end === null ? 'a token without a price' : usd(usdOf(end))],
          ['Fills', `${count(run.fills.length)}, ${count(run.refused)} it could not pay`],
          ['Deepest fall', shareOf(Number(run.maxDrawdownBps))],
          ['Fees and gas', usd(usdOf(run.feesMicroUsd + run.gasMicroUsd))],
          ['Said last', run.lastReason.slice(0, 200) || 'nothing'],
        ]}
      />
      <p className="small faint">
        {`Each fill is assumed ${run.terms.slippageBps} bps worse than the mark, less ` +
          `${run.terms.feeBps} bps of fee and gas. It rehearses; it promises nothing.`}
      </p>
    </>
  )
}

function commandOf({ brain, params, pairs, intervalS }: RehearsalRequest): string {
  const named = pairs.map((pair) => ` --pair ${pair}`).join('')
  const given = Object.keys(params).length === 0 ? '' : ` --params '${JSON.stringify(params)}'`
  return `pit backtest ${brain}${named} --interval ${intervalS}${given}`
}
