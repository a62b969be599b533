import type { Answer, Board } from '@pit/protocol'
import {
  ago,
  amount,
  Badge,
  Button,
  Card,
  type Column,
  centsUsd,
  count,
  Dialog,
  Facts,
  Loaded,
  Notice,
  Stat,
  Stats,
  shortHex,
  signedPct,
  Table,
  Tabs,
  usd,
  words,
} from '@pit/ui'
import { type ReactNode, useState } from 'react'
import { useAccount } from '../data/account.ts'
import { useRead } from '../data/api.ts'
import { LeagueCurves } from './LeagueCurves.tsx'

export type Standings = Answer<'league.standings'>
type Row = Standings['rows'][number]
type PrizeRow = Extract<Row, { board: 'prize' }>

const BOARDS = [
  { id: 'prize', label: 'Prize board' },
  { id: 'practice', label: 'Practice board' },
]

/**
 * Both boards of the current season; between standings and switch what the page adds. Until `first` is known
 * they take their place on the page only.
 */
export function Boards({ first, children }: { first: Board | null; children?: ReactNode }) {
  const [chosen, setBoard] = useState<Board | null>(null)
  const board = chosen ?? first ?? 'prize'
  const isKnown = (chosen ?? first) !== null
  const signedIn = useAccount() !== null
  const standings = useRead('league.standings', { query: { board } }, { everyMs: 15_000, enabled: isKnown })
  return (
    <>
      <Tabs
        look="segments"
        label="Boards"
        tabs={BOARDS}
        chosen={isKnown ? board : ''}
        onChoose={(id) => setBoard(id as Board)}
      />
      {signedIn && children}
      <Loaded of={standings} lines={20}>
        {(data) => (
          <>
            {data.season && data.rows.length > 0 && (
              <LeagueCurves season={data.season.number} board={board} />
            )}
            {data.rows.length > 0 && <Outcome standings={data} />}
            <Card title="Standings" flush actions={data.decided && <Badge tone="up">Decided</Badge>}>
              <StandingsTable standings={data} />
            </Card>
          </>
        )}
      </Loaded>
      {/* Shown with the standings, whose length is not known before: it would move. */}
      {!signedIn && !standings.isPending && children}
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
        <Stat label="Independent owners that traded" value={count(active_clusters)} />
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
  const signedIn = useAccount()
  const mine = useRead('league.me', {}, { enabled: signedIn !== null })
  const isOwn = (row: Row) => mine.data?.entries.some(({ entry_id }) => entry_id === row.entry_id) ?? false
  const columns: Column<Row>[] = [
    {
      head: 'Entrant',
      // Untrusted text: shown as text and truncated.
      cell: (row) => (
        <span className="row">
          <span className="num">{row.rank}.</span>
          <span className="break">{row.label.slice(0, 48)}</span>
          {isOwn(row) && <Badge tone="accent">You</Badge>}
          {row.left && <Badge tone="warn">Left</Badge>}
          {row.place !== null && <Badge tone="accent">{`Place ${row.place}`}</Badge>}
        </span>
      ),
    },
    {
      head: 'Profit',
      right: true,
      cell: ({ profit_usd }) => <span className={profitTone(profit_usd)}>{centsUsd(profit_usd)}</span>,
    },
    {
      head: 'Return',
      right: true,
      cell: ({ return_pct }) => <span className={profitTone(return_pct)}>{signedPct(return_pct)}</span>,
    },
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
        cell: ({ prize_atoms }) => amount(prize_atoms, 18),
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
