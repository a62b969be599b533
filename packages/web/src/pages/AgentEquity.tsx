import type { Answer } from '@pit/protocol'
import { Card, Tabs, usd } from '@pit/ui'
import { EquityChart } from '@pit/ui/charts'
import { type CurveRow, intervalFor, pointsOf, RANGES, type Range, useCandlesOf } from '../data/curves.ts'
import { drawdownBand, holdLine } from '../data/equity.ts'

type AgentDetail = Answer<'hosted.get'>

const RANGE_LABELS: Record<Range, string> = { day: 'Day', month: 'Month', all: 'All' }
export const RANGE_TABS = RANGES.map((id) => ({ id, label: RANGE_LABELS[id] }))

/** Symbols of the tokens that the agent trades against money. */
export const basesOf = ({ pairs, tokens }: AgentDetail): string[] => [
  ...new Set(
    pairs.map((pair) => {
      const base = pair.split('/')[0]!
      return tokens.find(({ token }) => token === base)?.symbol ?? base
    }),
  ),
]

/** Equity over time, its fall below the high, and what holding the agent's tokens would have been. */
export function AgentEquity(props: { agent: AgentDetail; range: Range; onRange(range: Range): void }) {
  const { agent, range } = props
  const points = pointsOf(historyOf(agent.pnl))
  const bases = basesOf(agent)
  const spanS = points.length < 2 ? 0 : (points.at(-1)!.atMs - points[0]!.atMs) / 1_000
  const candles = useCandlesOf(bases, intervalFor(spanS))
  const hold = holdLine(points, candles)
  const holdName = `Holding ${bases.slice(0, 4).join(' and ')}`
  return (
    <Card
      title="Equity"
      actions={
        <Tabs
          look="segments"
          label="Equity range"
          tabs={RANGE_TABS}
          chosen={range}
          onChoose={(id) => props.onRange(id as Range)}
        />
      }
    >
      <EquityChart
        label="Equity"
        format={usd}
        series={[
          { name: 'Equity', points },
          ...(hold.length > 1 ? [{ name: holdName, points: hold, isReference: true }] : []),
        ]}
        band={drawdownBand(points)}
        bandName="Drawdown"
      />
      <p className="small faint">
        {agent.mode === 'live'
          ? 'The agent’s tokens in the wallet, at independent prices. Deposits and withdrawals show as steps.'
          : 'The paper book at independent prices.'}{' '}
        Holding: the first value put into the traded tokens in equal parts, without fees.
      </p>
    </Card>
  )
}

/** Empty until the server has recorded some. */
export const historyOf = (pnl: AgentDetail['pnl']): readonly CurveRow[] => pnl?.history ?? []
