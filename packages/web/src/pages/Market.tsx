import type { Answer } from '@pit/protocol'
import { Sparkline } from '../charts/charts.tsx'
import { useRead } from '../data/api.ts'
import { bps, count, ms, usd } from '../data/format.ts'
import { useRecentMarks } from '../data/marks.ts'
import { useSeries } from '../data/series.ts'
import { Badge, Card, Page, Stat, Stats } from '../design/parts.tsx'
import { Loaded } from '../design/states.tsx'
import { type Column, Table } from '../design/Table.tsx'
import { Link } from '../router.tsx'

type Snapshot = Answer<'stats'>
type Asset = NonNullable<Snapshot['assets']>[number]

/** All assets with mark, spread and best venues. */
export function Market() {
  const stats = useRead('stats', {}, { everyMs: 5_000 })
  return (
    <Page
      title="Market"
      lead="Marks, spreads and the best venue for each side, quoted at the reference size. Updates every 5 seconds."
    >
      <Loaded of={stats} lines={12}>
        {(data) => (
          <>
            <Headline stats={data} />
            <Card title="Assets" flush actions={<Freshness stats={data} />}>
              <Table
                caption="Assets with marks, spreads and best venues"
                columns={columnsAt(data.generated_at * 1000)}
                rows={data.assets ?? []}
                keyOf={({ symbol }) => symbol}
                empty="No prices yet."
              />
            </Card>
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Headline({ stats }: { stats: Snapshot }) {
  const { block, prices, latency_ms, fee_bps, tokens } = stats
  return (
    <Stats>
      <Stat
        label="Latest block"
        value={block ? count(block.number) : '–'}
        note={block ? `${block.age_s.toFixed(1)} s old` : 'unavailable'}
      />
      <Stat
        label="Reference size"
        value={prices ? usd(prices.ref_size_usd) : '–'}
        note={`${count(stats.routes)} routes quoted`}
      />
      <Stat label="Quote time" value={ms(latency_ms?.ref_quotes)} note="all assets" />
      <Stat
        label="Fee"
        value={`${fee_bps.major_min}–${fee_bps.major_max} bps`}
        note={`major; others ${fee_bps.other} bps`}
      />
      <Stat label="Tradable tokens" value={count(tokens?.tradable)} note="with a route" />
      <Stat
        label="Relay"
        value={stats.relay ? 'On' : 'Off'}
        tone={stats.relay ? 'up' : 'warn'}
        note={stats.relay ? 'signed trades are sent' : 'planning only'}
      />
    </Stats>
  )
}

function Freshness({ stats: { prices } }: { stats: Snapshot }) {
  if (!prices) return <Badge tone="warn">No prices</Badge>
  const isOld = prices.age_s > 30
  return <Badge tone={isOld ? 'warn' : 'up'}>{`prices ${prices.age_s.toFixed(1)} s old`}</Badge>
}

const columnsAt = (atMs: number): Column<Asset>[] => [
  {
    head: 'Asset',
    cell: ({ symbol, kind }) => (
      <span className="row">
        <Link href={`/tokens/${symbol}`}>{symbol}</Link>
        {kind === 'stock' && <Badge>Stock</Badge>}
      </span>
    ),
  },
  { head: 'State', cell: (asset) => <State asset={asset} /> },
  {
    head: 'Mark',
    right: true,
    cell: ({ mark, mark_source }) => (
      <span title={mark_source === 'oracle_feed' ? 'from an oracle feed' : 'from a pool'}>{usd(mark)}</span>
    ),
  },
  { head: 'Pool mid', right: true, cell: ({ mid }) => usd(mid) },
  { head: 'Spread', right: true, cell: ({ spread_bps }) => bps(spread_bps) },
  { head: 'Best buy', right: true, cell: ({ buy }) => <Side side={buy} /> },
  { head: 'Best sell', right: true, cell: ({ sell }) => <Side side={sell} /> },
  { head: 'Routes', right: true, cell: ({ routes }) => count(routes) },
  { head: 'Last 6 hours', cell: (asset) => <Recent asset={asset} atMs={atMs} /> },
]

function State({ asset: { stale, kind, mark } }: { asset: Asset }) {
  if (mark === null) return <Badge tone="down">No price</Badge>
  if (!stale) return <Badge tone="up">Live</Badge>
  return <Badge tone="warn">{kind === 'stock' ? 'Closed' : 'Stale'}</Badge>
}

function Side({ side }: { side: Asset['buy'] }) {
  if (!side) return <span className="faint">no route</span>
  const { venue, fee, price, vs_mark_bps } = side
  const where = fee === null ? venue : `${venue} ${fee / 10_000}%`
  return (
    <span>
      {usd(price)}
      <br />
      <span className="small faint">
        {where.replace('venue_', '')}
        {vs_mark_bps === null
          ? ''
          : `, ${bps(Math.abs(vs_mark_bps))} ${vs_mark_bps < 0 ? 'better' : 'worse'} than mark`}
      </span>
    </span>
  )
}

function Recent({ asset, atMs }: { asset: Asset; atMs: number }) {
  const stored = useRecentMarks().get(asset.symbol) ?? []
  const seen = useSeries(`price ${asset.symbol}`, asset.mark, atMs)
  return <Sparkline points={[...stored, ...seen]} label={`${asset.symbol} in the last 6 hours`} />
}
