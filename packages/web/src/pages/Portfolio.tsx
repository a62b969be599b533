import type { Answer } from '@pit/protocol'
import {
  amount,
  Badge,
  bps,
  Card,
  Loaded,
  many,
  Notice,
  Page,
  Stat,
  Stats,
  StatsToCome,
  signedPct,
  Table,
  Tabs,
  usd,
  words,
} from '@pit/ui'
import { EquityChart } from '@pit/ui/charts'
import { useState } from 'react'
import { useRead } from '../data/api.ts'
import { type CurveRow, pointsOf, type Range } from '../data/curves.ts'
import { drawdownBand } from '../data/equity.ts'
import {
  holdingOf,
  knownFigure,
  knownText,
  knownTone,
  type Period,
  unknownNote,
  useReport,
} from '../data/report.ts'
import { Link } from '../router.tsx'
import { NeedsWallet } from '../wallet/NeedsWallet.tsx'
import { RANGE_TABS } from './AgentEquity.tsx'
import { PortfolioTrades } from './PortfolioTrades.tsx'
import { ProfitCard } from './ProfitCard.tsx'

type Holdings = Answer<'me.portfolio'>
type Holding = Holdings['holdings'][number]
type Reported = ReturnType<typeof useReport>

/** Value, profit, holdings and trades of the wallet. */
export default function Portfolio() {
  return (
    <Page title="Portfolio" lead="Balances are read from the chain and valued at independent prices.">
      <NeedsWallet why="Sign in to see your balances.">
        <Held />
        <PortfolioTrades />
      </NeedsWallet>
    </Page>
  )
}

const FIGURES = ['Total', 'Realised profit', 'Unrealised profit', 'Your fee (major pairs)', 'Volume']

function Held() {
  const [range, setRange] = useState<Range>('day')
  const [period, setPeriod] = useState<Period>('year')
  const portfolio = useRead('me.portfolio', { query: { range } }, { everyMs: 15_000, keepsLast: true })
  const report = useReport(period)
  return (
    <Loaded of={portfolio} lines={30} meanwhile={<StatsToCome labels={FIGURES} />}>
      {(data) => (
        <>
          <Figures data={data} report={report} />
          {data.unread.length > 0 && (
            <Notice tone="warn" title="Some balances could not be read">
              {data.unread.join(', ')}
            </Notice>
          )}
          <div className="grid wide-first">
            <ValueCard data={data} range={range} onRange={setRange} />
            <ProfitCard report={report} period={period} onPeriod={setPeriod} />
          </div>
          <HoldingsCard data={data} report={report} />
        </>
      )}
    </Loaded>
  )
}

function Figures({ data, report: { data: report } }: { data: Holdings; report: Reported }) {
  const { volume } = data
  const points = pointsOf(historyOf(data))
  const first = points.length > 1 ? points[0]!.value : null
  const change = first === null || first <= 0 ? null : (data.total_usd / first - 1) * 100
  return (
    <Stats>
      <Stat
        label="Total"
        value={usd(data.total_usd)}
        note={change === null ? noteOf(data.unpriced) : `${signedPct(change)} in the chart`}
      />
      <Stat
        label="Realised profit"
        value={knownFigure(report?.totals.realised)}
        tone={report ? knownTone(report.totals.realised) : 'plain'}
        note={unknownNote(report?.totals.realised) ?? 'of the chosen period'}
      />
      <Stat
        label="Unrealised profit"
        value={knownFigure(report?.totals.unrealised)}
        tone={report ? knownTone(report.totals.unrealised) : 'plain'}
        note={unknownNote(report?.totals.unrealised) ?? 'of what you hold'}
      />
      <Stat
        label="Your fee (major pairs)"
        value={bps(volume.tier_bps)}
        note={
          volume.next_tier
            ? `${bps(volume.next_tier.bps)} after ${usd(volume.next_tier.volume_to_next_usd)} more`
            : 'lowest reached'
        }
      />
      <Stat label={`Volume, ${volume.window_days} days`} value={usd(volume.volume_usd)} />
    </Stats>
  )
}

const noteOf = (unpriced: number): string =>
  unpriced === 0 ? 'at independent prices' : `without ${many(unpriced, 'unpriced token')}`

function ValueCard(props: { data: Holdings; range: Range; onRange(range: Range): void }) {
  const points = pointsOf(historyOf(props.data))
  return (
    <Card
      title="Value"
      actions={
        <Tabs
          look="segments"
          label="Value range"
          tabs={RANGE_TABS}
          chosen={props.range}
          onChoose={(id) => props.onRange(id as Range)}
        />
      }
    >
      <EquityChart
        label="Value of the wallet"
        format={usd}
        series={[{ name: 'Value', points }]}
        band={drawdownBand(points)}
        bandName="Drawdown"
      />
      <p className="small faint">
        Core and listed stock tokens at independent prices, from your first trade on. Deposits and withdrawals
        show as steps.
      </p>
    </Card>
  )
}

/** Empty until the server has recorded some. */
const historyOf = ({ history }: Holdings): readonly CurveRow[] => history ?? []

function HoldingsCard({ data, report: { data: report, error } }: { data: Holdings; report: Reported }) {
  const waiting = error ? 'not available' : '…'
  return (
    <Card title="Holdings" flush>
      <Table
        caption="Holdings"
        columns={[
          {
            head: 'Token',
            cell: ({ symbol, token }: Holding) => (
              <Link href={`/tokens/${token}`}>{symbol.slice(0, 16)}</Link>
            ),
          },
          {
            head: 'Amount',
            right: true,
            cell: ({ amount_atoms, decimals }) => amount(amount_atoms, decimals, 8),
          },
          { head: 'Price', right: true, cell: (holding) => <Price holding={holding} /> },
          { head: 'Value', right: true, cell: ({ value_usd }) => usd(value_usd) },
          {
            head: 'Cost',
            right: true,
            cell: ({ address }) => {
              const sum = holdingOf(report, address)?.cost
              return sum ? knownText(sum) : report ? '–' : waiting
            },
          },
          {
            head: 'Profit',
            right: true,
            cell: ({ address }) => {
              const sum = holdingOf(report, address)?.unrealised
              if (!sum) return report ? '–' : waiting
              return <span className={`${knownTone(sum)}-text`}>{knownText(sum)}</span>
            },
          },
        ]}
        rows={[...data.holdings].sort((a, b) => (b.value_usd ?? -1) - (a.value_usd ?? -1))}
        keyOf={({ address }) => address}
        empty="No known tokens in this wallet."
      />
    </Card>
  )
}

/** The price; its source on hover, and why it is missing or old. */
function Price({ holding: { price_usd, mark, unpriced } }: { holding: Holding }) {
  if (unpriced) return <Badge tone="warn">{words(unpriced)}</Badge>
  return (
    <span title={mark ? words(mark.source) : 'Counts as one dollar'}>
      {usd(price_usd)}
      {mark?.stale && <Badge tone="warn">Stale</Badge>}
    </span>
  )
}
