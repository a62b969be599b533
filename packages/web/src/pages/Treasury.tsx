import { type Answer, TREASURY_BUCKETS } from '@pit/protocol'
import {
  amount,
  Badge,
  Card,
  Copied,
  count,
  dateTime,
  Empty,
  Facts,
  Loaded,
  many,
  Notice,
  Page,
  Stat,
  Stats,
  shareOf,
  shortHex,
  Table,
  usd,
  words,
} from '@pit/ui'
import { BarChart, Lengths } from '@pit/ui/charts'
import { useEffect, useMemo } from 'react'
import { useRead } from '../data/api.ts'
import { verifyChain } from '../data/treasury.ts'

type Record = Answer<'treasury'>
type Week = Record['weeks'][number]

const SEEN = 'pit.treasury.head'

/** Fees by week, with the hash chain verified in this browser. */
export default function Treasury() {
  const treasury = useRead('treasury', {}, { everyMs: 30_000 })
  return (
    <Page
      title="Treasury"
      source="server"
      lead="All fees go to one wallet and are split weekly. The record is append-only: each row contains the hash of the previous one."
    >
      <Loaded of={treasury} lines={12}>
        {(record) => (
          <>
            <Totals record={record} />
            <Chain record={record} />
            <div className="grid">
              <Card title="Weeks in USD">
                <Weeks record={record} />
              </Card>
              <Card title="Split">
                <Lengths
                  label="Shares of the buckets"
                  rows={TREASURY_BUCKETS.map((bucket, i) => ({
                    name: words(bucket),
                    value: record.split_bps[bucket],
                    shown: shareOf(record.split_bps[bucket]),
                    tone: i + 1,
                  }))}
                />
                <Facts
                  rows={TREASURY_BUCKETS.map((bucket) => [
                    words(bucket),
                    record.buckets[bucket] ? (
                      <Copied key={bucket} text={record.buckets[bucket]} />
                    ) : (
                      'no wallet set; booked and held'
                    ),
                  ])}
                />
              </Card>
            </div>
            <Rows record={record} />
            <ByToken record={record} />
            <Payouts record={record} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

const worthOf = ({ tokens }: Week): number => tokens.reduce((sum, { value_usd }) => sum + (value_usd ?? 0), 0)

const previewNote = (weeks: readonly Week[]): string => {
  const previews = weeks.filter(({ seq }) => seq === null).length
  return previews === 0 ? `${weeks.length} shown` : `and ${many(previews, 'preview')}`
}

function Totals({ record }: { record: Record }) {
  const weeks = record.weeks.filter(({ kind }) => kind === 'week')
  return (
    <Stats>
      <Stat
        label="Split so far"
        value={usd(weeks.reduce((sum, week) => sum + worthOf(week), 0))}
        note="at weekly marks"
      />
      <Stat
        label="Fee-paying trades"
        value={count(record.totals.reduce((sum, { trades }) => sum + trades, 0))}
      />
      <Stat label="Rows recorded" value={count(record.integrity.rows)} note={previewNote(record.weeks)} />
      <Stat
        label="Platform wallet"
        value={record.platform_wallet ? shortHex(record.platform_wallet) : 'not set'}
        note="receives every fee"
      />
    </Stats>
  )
}

function Chain({ record }: { record: Record }) {
  const result = useMemo(() => verifyChain(record, window.localStorage.getItem(SEEN)), [record])
  useEffect(() => {
    if (result.ok && result.head) window.localStorage.setItem(SEEN, result.head)
  }, [result])
  return (
    <Card
      title="Hash chain, verified in your browser"
      actions={<Verdict ok={result.ok} rows={result.rows.length} />}
    >
      {!result.ok && (
        <Notice tone="down" title="The record is not valid">
          {result.why}
        </Notice>
      )}
      {result.rows.length === 0 ? (
        <p>No rows yet: the first is recorded after the first full week. The figures below are a preview.</p>
      ) : (
        <p>
          {`Your browser recomputed the hashes of ${many(result.rows.length, 'row')} and checked that each row links to the previous one. `}
          {'It also stores the newest hash, to detect a rewritten record on your next visit.'}
        </p>
      )}
      {result.rows.length > 0 && (
        <Table
          caption="Rows of the hash chain"
          columns={[
            { head: 'Row', cell: ({ seq }) => seq },
            { head: 'Week', cell: ({ label }) => label },
            { head: 'Hash', cell: ({ hash }) => <Copied text={hash} /> },
            {
              head: 'Verified here',
              cell: ({ ok, why }) => (
                <Badge tone={ok ? 'up' : 'down'}>{ok ? 'Valid' : `Broken: ${why}`}</Badge>
              ),
            },
          ]}
          rows={[...result.rows].reverse()}
          keyOf={({ seq }) => seq}
        />
      )}
    </Card>
  )
}

function Verdict({ ok, rows }: { ok: boolean; rows: number }) {
  if (rows === 0 && ok) return <Badge>Nothing to verify yet</Badge>
  return <Badge tone={ok ? 'up' : 'down'}>{ok ? `${many(rows, 'row')} verified` : 'Broken'}</Badge>
}

function Weeks({ record }: { record: Record }) {
  const weeks = record.weeks
    .filter(({ kind }) => kind === 'week')
    .slice(0, 12)
    .reverse()
  if (weeks.length === 0) return <Empty title="No fees yet." />
  return (
    <BarChart
      label="Fees by week, split"
      parts={TREASURY_BUCKETS.map(words)}
      format={usd}
      bars={weeks.map((week) => ({
        name: week.week.label.replace(/^\d+-/, ''),
        parts: TREASURY_BUCKETS.map((bucket) => (worthOf(week) * record.split_bps[bucket]) / 10_000),
      }))}
    />
  )
}

const STATUS_TONES = { moved: 'up', booked: 'accent', preview: 'plain' } as const

function Rows({ record }: { record: Record }) {
  return (
    <Card title="Record" flush>
      <Table
        caption="Weeks and transfers, newest first"
        columns={[
          { head: 'Week', cell: ({ week }: Week) => week.label },
          { head: 'Kind', cell: ({ kind }) => words(kind) },
          { head: 'State', cell: ({ status }) => <Badge tone={STATUS_TONES[status]}>{words(status)}</Badge> },
          { head: 'Pool', right: true, cell: (week) => usd(worthOf(week)) },
          {
            head: 'Tokens',
            cell: ({ tokens }) => tokens.map(({ symbol }) => symbol).join(', ') || 'none',
          },
          { head: 'Reconciled', cell: (week) => <Reconciled week={week} /> },
          { head: 'Recorded', cell: ({ recorded_at }) => (recorded_at ? dateTime(recorded_at) : 'not yet') },
        ]}
        rows={record.weeks}
        keyOf={({ seq, week }) => `${seq} ${week.label}`}
        empty="No weeks yet."
      />
    </Card>
  )
}

function Reconciled({ week: { reconciliation } }: { week: Week }) {
  const { status, counts, accepted } = reconciliation
  if (status === null) return <Badge tone="warn">{`${counts.differences} differences`}</Badge>
  return (
    <span className="row">
      <Badge tone={status === 'agrees' ? 'up' : 'warn'}>{words(status)}</Badge>
      <span className="small faint">
        {accepted ?? `${count(counts.agrees)} trades, ${count(counts.outside_ledger)} external`}
      </span>
    </span>
  )
}

type Total = Record['totals'][number]

function ByToken({ record }: { record: Record }) {
  const of = (atoms: string | null, { decimals }: Total) =>
    atoms === null ? 'unavailable' : amount(atoms, decimals)
  return (
    <Card title="By token" flush>
      <Table
        caption="Fees by token"
        columns={[
          { head: 'Token', cell: ({ symbol }: Total) => symbol },
          { head: 'Fees', right: true, cell: (row) => of(row.received, row) },
          { head: 'External', right: true, cell: (row) => of(row.outside, row) },
          { head: 'Trades', right: true, cell: ({ trades }) => count(trades) },
          { head: 'Held now', right: true, cell: (row) => of(row.held, row) },
          ...TREASURY_BUCKETS.map((bucket) => ({
            head: `${words(bucket)} owed`,
            right: true,
            cell: (row: Total) => of(row.owed[bucket], row),
          })),
        ]}
        rows={record.totals}
        keyOf={({ token }) => token}
        empty="No fees yet."
      />
    </Card>
  )
}

function Payouts({ record }: { record: Record }) {
  return (
    <Card title="League prizes paid" flush>
      <Table
        caption="League prizes paid"
        columns={[
          { head: 'Season', cell: ({ season }: Record['prize_payouts'][number]) => season.id },
          {
            head: 'Budget',
            right: true,
            cell: (row) => `${amount(row.reserve.payout, row.decimals)} ${row.symbol}`,
          },
          {
            head: 'Paid',
            right: true,
            cell: (row) => `${amount(row.reserve.paid, row.decimals)} ${row.symbol}`,
          },
          {
            head: 'Recipients',
            cell: ({ recipients }) => recipients.map(({ agent }) => `#${agent}`).join(', '),
          },
        ]}
        rows={record.prize_payouts}
        keyOf={({ season }) => season.id}
        empty="No prizes paid yet."
      />
    </Card>
  )
}
