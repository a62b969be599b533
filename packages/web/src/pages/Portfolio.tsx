import type { OwnHolding, OwnHoldings } from '@pit/client'
import { type Answer, FEE, priceUsdOf, usdOf } from '@pit/protocol'
import {
  amount,
  Badge,
  bps,
  Card,
  Loaded,
  many,
  Notice,
  Page,
  ServerFigure,
  Stat,
  Stats,
  StatsToCome,
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
import { totalMicroUsd, useHoldings } from '../data/own.ts'
import {
  holdingOf,
  knownFigure,
  knownText,
  knownTone,
  type Period,
  unknownNote,
  useReport,
} from '../data/report.ts'
import { labelOf } from '../data/tokens.ts'
import { Link } from '../router.tsx'
import { NeedsWallet } from '../wallet/NeedsWallet.tsx'
import { RANGE_TABS } from './AgentEquity.tsx'
import { PortfolioTrades } from './PortfolioTrades.tsx'
import { ProfitCard } from './ProfitCard.tsx'

type Served = Answer<'me.portfolio'>
type ServedHolding = Served['holdings'][number]
type Reported = ReturnType<typeof useReport>

/** Value, profit, holdings and trades of the wallet. */
export default function Portfolio() {
  return (
    <Page title="Portfolio" lead="Balances and prices are read from the chain in this browser.">
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
  const listed = portfolio.data?.holdings.map(({ address }) => address) ?? []
  const own = useHoldings(listed)
  const report = useReport(period)
  return (
    <>
      <Loaded of={own} lines={30} meanwhile={<StatsToCome labels={FIGURES} />}>
        {(data) => <Figures own={data} served={portfolio.data} report={report} />}
      </Loaded>
      <div className="grid wide-first">
        <Loaded of={portfolio} lines={14}>
          {(data) => <ValueCard data={data} range={range} onRange={setRange} />}
        </Loaded>
        <ProfitCard report={report} period={period} onPeriod={setPeriod} />
      </div>
      {own.data && <HoldingsCard own={own.data} served={portfolio.data?.holdings ?? []} report={report} />}
    </>
  )
}

function Figures(props: { own: OwnHoldings; served: Served | undefined; report: Reported }) {
  const { own, served } = props
  const { data: report } = props.report
  const unpriced = own.holdings.filter(({ microUsd }) => microUsd === null).length
  const volume = served?.volume
  return (
    <>
      <Stats>
        <Stat label="Total" value={usd(usdOf(totalMicroUsd(own)))} note={noteOf(unpriced)} />
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
          value={<ServerFigure>{bps(volume?.tier_bps)}</ServerFigure>}
          note={
            volume?.next_tier ? (
              <ServerFigure>
                {`${bps(volume.next_tier.bps)} after ${usd(volume.next_tier.volume_to_next_usd)} more`}
              </ServerFigure>
            ) : (
              'lowest reached'
            )
          }
        />
        <Stat
          label={`Volume, ${FEE.volumeWindowDays} days`}
          value={<ServerFigure>{usd(volume?.volume_usd)}</ServerFigure>}
        />
      </Stats>
      {own.unread.length > 0 && (
        <Notice tone="warn" title="Your node could not read some balances">
          <span className="mono break">{own.unread.join(', ')}</span>
        </Notice>
      )}
    </>
  )
}

const noteOf = (unpriced: number): string =>
  unpriced === 0 ? 'at prices of your node' : `without ${many(unpriced, 'unpriced token')}`

function ValueCard(props: { data: Served; range: Range; onRange(range: Range): void }) {
  const points = pointsOf(historyOf(props.data))
  return (
    <Card
      title="Value"
      source="server"
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
const historyOf = ({ history }: Served): readonly CurveRow[] => history ?? []

function HoldingsCard(props: { own: OwnHoldings; served: readonly ServedHolding[]; report: Reported }) {
  const { own, served } = props
  const { data: report, error } = props.report
  const waiting = error ? 'not available' : '…'
  const servedOf = ({ token }: OwnHolding) =>
    served.find(({ address }) => address.toLowerCase() === token.address)
  return (
    <Card title="Holdings" flush>
      <Table
        caption="Holdings"
        columns={[
          {
            head: 'Token',
            cell: ({ token }: OwnHolding) => (
              <Link href={`/tokens/${token.isPinned ? token.name : token.address}`}>
                {labelOf(new Map([[token.address, token]]), token.address)}
              </Link>
            ),
          },
          {
            head: 'Amount',
            right: true,
            cell: ({ atoms, token }) => amount(atoms, token.decimals, 8),
          },
          {
            head: 'Price',
            right: true,
            cell: (holding) => <Price holding={holding} served={servedOf(holding)} />,
          },
          {
            head: 'Value',
            right: true,
            cell: ({ microUsd }) => (microUsd === null ? '–' : usd(usdOf(microUsd))),
          },
          {
            head: 'Cost',
            right: true,
            cell: ({ token }) => {
              const sum = holdingOf(report, token.address)?.cost
              return sum ? knownText(sum) : report ? '–' : waiting
            },
          },
          {
            head: 'Profit',
            right: true,
            cell: ({ token }) => {
              const sum = holdingOf(report, token.address)?.unrealised
              if (!sum) return report ? '–' : waiting
              return <span className={`${knownTone(sum)}-text`}>{knownText(sum)}</span>
            },
          },
        ]}
        rows={[...own.holdings].sort((a, b) => Number((b.microUsd ?? -1n) - (a.microUsd ?? -1n)))}
        keyOf={({ token }) => token.address}
        empty="No known tokens in this wallet."
      />
    </Card>
  )
}

/** The price of the verifying node; the server's, marked as such, for a token without one. */
function Price(props: { holding: OwnHolding; served: ServedHolding | undefined }) {
  const { priceE18, isStale } = props.holding
  const { price_usd = null, unpriced = null } = props.served ?? {}
  if (priceE18 === null) {
    if (price_usd === null) return <Badge tone="warn">{words(unpriced ?? 'no price')}</Badge>
    return <ServerFigure>{usd(price_usd)}</ServerFigure>
  }
  return (
    <span>
      {usd(priceUsdOf(priceE18))}
      {isStale && <Badge tone="warn">Stale</Badge>}
    </span>
  )
}
