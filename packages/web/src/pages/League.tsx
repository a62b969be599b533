import type { Answer, Board } from '@pit/protocol'
import {
  amount,
  Badge,
  Card,
  count,
  day,
  duration,
  Facts,
  Loaded,
  Notice,
  Page,
  Stat,
  Stats,
  StatsToCome,
  Table,
  Tabs,
  usd,
} from '@pit/ui'
import { useState } from 'react'
import { useRead } from '../data/api.ts'
import { useNowS } from '../data/now.ts'
import { Link } from '../router.tsx'
import { LeagueEntry } from './LeagueEntry.tsx'
import { LeagueRules } from './LeagueRules.tsx'
import { Boards } from './Standings.tsx'

type Overview = Answer<'league'>
const PARTNER_DECIMALS = 18
const CLOCK = ['Season', 'Ends in', 'Entrants', 'Prize if it ended now', 'New entries start']

/** Season clock, boards, eligibility, past seasons and reserve. */
export default function League() {
  const league = useRead('league', {}, { everyMs: 15_000 })
  const [tab, setTab] = useState('boards')
  return (
    <Page
      title="League"
      source="server"
      lead="Two-week seasons. The prize board counts real trades, valued at independent marks; the practice board trades on paper."
    >
      <Loaded of={league} meanwhile={<StatsToCome labels={CLOCK} />}>
        {(data) => <Clock league={data} />}
      </Loaded>
      <Tabs
        label="Sections"
        chosen={tab}
        onChoose={setTab}
        tabs={[
          { id: 'boards', label: 'Boards' },
          { id: 'seasons', label: 'Past seasons' },
          { id: 'reserve', label: 'Reserve' },
          { id: 'rules', label: 'How the score is made' },
        ]}
      />
      {tab === 'boards' && (
        // Without the answer the page would switch boards under the reader.
        <Boards first={league.isPending ? null : firstBoard(league.data)}>
          <LeagueEntry nextSeason={league.data?.schedule.entered_now_plays_from} />
        </Boards>
      )}
      {tab === 'seasons' && <Seasons />}
      {tab === 'reserve' && <Reserve />}
      {tab === 'rules' && <Loaded of={league}>{(data) => <LeagueRules league={data} />}</Loaded>}
    </Page>
  )
}

/** The practice board if only that one is played. */
const firstBoard = (league: Overview | undefined): Board =>
  league && league.entrants === 0 && league.practice_entrants > 0 ? 'practice' : 'prize'

function Clock({ league }: { league: Overview }) {
  const nowS = useNowS()
  const season = league.season ?? league.next_season
  if (!season) return <Notice title="No season yet." />
  const isOpen = season.state === 'open'
  const leftS = Math.max(0, (isOpen ? season.ends_at : season.starts_at) - nowS)
  const budget = league.reserve.estimate?.budget ?? null
  return (
    <Stats>
      <Stat
        label={season.name}
        value={isOpen ? `Day ${season.day} of ${season.days}` : season.state}
        note={`${day(season.starts_at)} to ${day(season.ends_at)}`}
      />
      <Stat
        label={isOpen ? 'Ends in' : 'Starts in'}
        value={duration(leftS)}
        note={isOpen ? season.ends : season.starts}
      />
      <Stat
        label="Entrants"
        value={`${count(league.entrants)} + ${count(league.practice_entrants)}`}
        note="prize and practice"
      />
      <Stat
        label="Prize if it ended now"
        value={amount(budget, PARTNER_DECIMALS)}
        note={budget === null ? (league.reserve.estimate?.why ?? 'no estimate yet') : 'PARTNER (estimate)'}
      />
      <Stat label="New entries start" value={`Season ${league.schedule.entered_now_plays_from}`} />
    </Stats>
  )
}

type SeasonRow = Answer<'league.seasons'>['seasons'][number]

function Seasons() {
  const seasons = useRead('league.seasons', {})
  return (
    <Card title="Seasons" flush>
      <Loaded of={seasons}>
        {(data) => (
          <Table
            caption="Seasons, newest first"
            columns={[
              {
                head: 'Season',
                cell: ({ number, name }: SeasonRow) => <Link href={`/league/${number}`}>{name}</Link>,
              },
              {
                head: 'State',
                cell: ({ status, missed }) => <Badge>{missed ? 'not played' : status}</Badge>,
              },
              { head: 'From', cell: ({ starts_at }) => day(starts_at) },
              { head: 'To', cell: ({ ends_at }) => day(ends_at) },
              { head: 'Entrants', right: true, cell: ({ entrants }) => count(entrants) },
              {
                head: 'Pays',
                cell: ({ pays, why }) => (pays === null ? 'open' : pays ? 'yes' : `no: ${why ?? ''}`),
              },
              {
                head: 'Winners',
                cell: ({ winners }) =>
                  winners.map(({ place, label }) => `${place}. ${label}`).join(', ') || 'none',
              },
            ]}
            rows={data.seasons}
            keyOf={({ number }) => number}
            empty="The first season has not started."
          />
        )}
      </Loaded>
    </Card>
  )
}

type ReserveRow = Answer<'league.reserve'>['rows'][number]
const partner = (atoms: string | null) => amount(atoms, PARTNER_DECIMALS)

function Reserve() {
  const reserve = useRead('league.reserve', {})
  return (
    <Loaded of={reserve}>
      {({ on, rows, estimate }) => (
        <>
          {!on && <Notice title="This server has no prize reserve." />}
          {estimate && (
            <Card title="This season, if it ended now" actions={<Badge>{estimate.status}</Badge>}>
              {estimate.why && <p>{estimate.why}</p>}
              <Facts
                rows={[
                  ['Before', `${partner(estimate.reserve_before)} PARTNER`],
                  ['Gain so far', `${partner(estimate.gain_so_far)} PARTNER`],
                  ['Reserve', `${partner(estimate.reserve)} PARTNER`],
                  ['Budget', `${partner(estimate.budget)} PARTNER`],
                  ['Shares', estimate.shares.map(partner).join(' / ') || 'none'],
                  ['Cap', `${usd(estimate.cap_usd)}`],
                ]}
              />
            </Card>
          )}
          <Card title="Ledger" flush>
            <Table
              caption="The reserve, season by season, in PARTNER"
              columns={[
                { head: 'Season', cell: ({ season }: ReserveRow) => season },
                { head: 'Before', right: true, cell: (row) => partner(row.reserve_before) },
                { head: 'Stake’s gain', right: true, cell: (row) => partner(row.gain) },
                { head: 'Added', right: true, cell: (row) => partner(row.added) },
                { head: 'Budget', right: true, cell: (row) => partner(row.budget) },
                { head: 'Paid', right: true, cell: (row) => partner(row.paid_total) },
                { head: 'After', right: true, cell: (row) => partner(row.reserve_after) },
                {
                  head: 'State',
                  cell: ({ status, why }) => <Badge>{why ? `${status}: ${why}` : status}</Badge>,
                },
              ]}
              rows={rows}
              keyOf={({ season }) => season}
              empty="No season has been settled yet."
            />
          </Card>
        </>
      )}
    </Loaded>
  )
}
