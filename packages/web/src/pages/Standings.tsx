import type { Answer, Board } from '@pit/protocol'
import { useEffect, useState } from 'react'
import { LineChart } from '../charts/charts.tsx'
import { useRead } from '../data/api.ts'
import { ago, amount, count, shortHex, signedPct, usd, words } from '../data/format.ts'
import type { Point } from '../data/series.ts'
import { Badge, Button, Card, Dialog, Facts, Stat, Stats, Tabs } from '../design/parts.tsx'
import { Loaded, Notice } from '../design/states.tsx'
import { type Column, Table } from '../design/Table.tsx'

export type Standings = Answer<'league.standings'>
type Row = Standings['rows'][number]
type PrizeRow = Extract<Row, { board: 'prize' }>

const BOARDS = [
  { id: 'prize', label: 'Prize board' },
  { id: 'practice', label: 'Practice board' },
]

/** Both boards of the current season. */
export function Boards() {
  const [board, setBoard] = useState<Board>('prize')
  const standings = useRead('league.standings', { query: { board } }, { everyMs: 15_000 })
  return (
    <>
      <Tabs
        look="segments"
        label="Boards"
        tabs={BOARDS}
        chosen={board}
        onChoose={(id) => setBoard(id as Board)}
      />
      <Loaded of={standings}>
        {(data) => (
          <>
            <Outcome standings={data} />
            <Card title="Standings" flush actions={data.decided && <Badge tone="up">Decided</Badge>}>
              <StandingsTable standings={data} />
            </Card>
            <Card title="Equity during this visit">
              <Curves standings={data} />
            </Card>
          </>
        )}
      </Loaded>
    </>
  )
}

export function Outcome({ standings: { outcome } }: { standings: Standings }) {
  if (!outcome) return null
  const { eligible_agents, eligible_owners, active_clusters, pays, why } = outcome
  return (
    <>
      <Stats>
        <Stat label="Eligible" value={count(eligible_agents)} note={`of ${count(eligible_owners)} owners`} />
        <Stat label="Active owner clusters" value={count(active_clusters)} />
        <Stat label="Pays" value={pays ? 'Yes' : 'Not yet'} tone={pays ? 'up' : 'warn'} />
      </Stats>
      {why && (
        <Notice tone="warn" title="No payout because">
          {why}
        </Notice>
      )}
    </>
  )
}

const profitTone = (value: number | null) =>
  value === null || value === 0 ? '' : value > 0 ? 'up-text' : 'down-text'

export function StandingsTable({ standings }: { standings: Standings }) {
  const [shown, setShown] = useState<PrizeRow | null>(null)
  const columns: Column<Row>[] = [
    {
      head: 'Entrant',
      // Untrusted text: shown as text and truncated.
      cell: (row) => (
        <span className="row">
          <span className="num">{row.rank}.</span>
          <span className="break">{row.label.slice(0, 48)}</span>
          {row.left && <Badge tone="warn">Left</Badge>}
          {row.place !== null && <Badge tone="accent">{`Place ${row.place}`}</Badge>}
        </span>
      ),
    },
    {
      head: 'Profit',
      right: true,
      cell: ({ profit_usd }) => <span className={profitTone(profit_usd)}>{usd(profit_usd)}</span>,
    },
    { head: 'Return', right: true, cell: ({ return_pct }) => signedPct(return_pct) },
    {
      head: 'Max drawdown',
      right: true,
      cell: ({ max_dd_pct }) => (max_dd_pct === null ? '–' : `${max_dd_pct.toFixed(2)}%`),
    },
    { head: 'Trades', right: true, cell: ({ trades }) => count(trades) },
    { head: 'Days', right: true, cell: ({ active_days }) => count(active_days) },
  ]
  if (standings.board === 'prize')
    columns.push(
      { head: 'Cluster', cell: (row) => <Cluster row={row} /> },
      { head: 'Eligible', cell: (row) => <Eligible row={row} onShow={setShown} /> },
      {
        head: 'Prize',
        right: true,
        cell: ({ prize_atoms }) => (prize_atoms === null ? '–' : amount(prize_atoms, 18)),
      },
    )
  return (
    <>
      <Table
        caption={`${standings.board} board`}
        columns={columns}
        rows={standings.rows}
        keyOf={({ entry_id }) => entry_id}
        empty="No entrants yet."
      />
      <Dialog
        title={`Rules for ${shown?.label.slice(0, 48) ?? ''}`}
        open={shown !== null}
        onClose={() => setShown(null)}
      >
        {shown && <Rules row={shown} />}
      </Dialog>
    </>
  )
}

function Cluster({ row }: { row: Row }) {
  if (row.board !== 'prize' || row.cluster === null) return <span className="faint">–</span>
  const links = row.cluster_links.join(', ')
  return (
    <span title={links}>{row.cluster_size > 1 ? `${row.cluster_size} linked by ${links}` : 'alone'}</span>
  )
}

const TONES = { pass: 'up', fail: 'down', flag: 'warn', pending: 'plain' } as const

function Eligible({ row, onShow }: { row: Row; onShow(row: PrizeRow): void }) {
  if (row.board !== 'prize' || row.eligibility === null) return <span className="faint">–</span>
  const { status, rules } = row.eligibility
  const failed = rules.filter((rule) => rule.status !== 'pass').length
  return (
    <span className="row">
      <Badge tone={TONES[status]}>{words(status)}</Badge>
      <Button kind="quiet" tight onClick={() => onShow(row)}>
        {failed === 0 ? 'Rules' : `${failed} open`}
      </Button>
    </span>
  )
}

function Rules({ row }: { row: PrizeRow }) {
  const { eligibility } = row
  return (
    <>
      <Facts
        rows={[
          ['Agent', `#${row.agent_id}`],
          ['Wallet', shortHex(row.wallet)],
          ['Owner', row.owner ? shortHex(row.owner) : 'unknown'],
          ['Capital', usd(row.capital_usd)],
          ['Unvalued trades', count(row.unvalued)],
          ['Holdings valued at cost', count(row.open_unpriced)],
          ['Trades far from the mark', count(row.price_outliers)],
          ['Profit not confirmed by marks', usd(row.beyond_marks_usd ?? null)],
          ['Checked', eligibility?.checked_at ? ago(eligibility.checked_at) : 'not yet'],
        ]}
      />
      <ul className="stack">
        {eligibility?.rules.map(({ rule, name, status, reason, reviewed }) => (
          <li key={rule} className="notice">
            <span className="row">
              <Badge tone={TONES[status]}>{words(status)}</Badge>
              <strong>{name}</strong>
              {reviewed && <Badge>Reviewed</Badge>}
            </span>
            {reason && <span className="small">{reason}</span>}
          </li>
        ))}
      </ul>
    </>
  )
}

/** Values of each entrant seen in this tab, by board and entry. */
const seen = new Map<string, Point[]>()

function Curves({ standings }: { standings: Standings }) {
  const { board, now, rows } = standings
  const [, setDrawn] = useState(0)
  useEffect(() => {
    for (const { entry_id, profit_usd } of rows) {
      const name = `${board} ${entry_id}`
      const points = seen.get(name) ?? []
      if (profit_usd !== null && points.at(-1)?.atMs !== now * 1000)
        seen.set(name, [...points, { atMs: now * 1000, value: profit_usd }].slice(-360))
    }
    setDrawn(now)
  }, [board, now, rows])
  return (
    <LineChart
      label="Profit of the first five entrants"
      format={usd}
      lines={rows.slice(0, 5).map((row) => ({
        name: `${row.rank}. ${row.label.slice(0, 24)}`,
        points: seen.get(`${board} ${row.entry_id}`) ?? [],
      }))}
    />
  )
}
