import { amount, Badge, Card, Copied, centsUsd, dateTime, Facts, Loaded, Page, Table, words } from '@pit/ui'
import { useRead } from '../data/api.ts'
import { Link } from '../router.tsx'
import { LeagueCurves } from './LeagueCurves.tsx'
import { Outcome, StandingsTable } from './Standings.tsx'
import { VerifySeason } from './VerifySeason.tsx'

/** One prize season: standings, ledger and payouts. */
export default function Season({ params }: { params: Readonly<Record<string, string>> }) {
  const n = Number(params['season'])
  const season = useRead('league.season', { params: { n } }, { enabled: Number.isSafeInteger(n) && n >= 0 })
  return (
    <Page title={`Season ${params['season']}`} source="server" actions={<Link href="/league">League</Link>}>
      <Loaded of={season}>
        {(data) => (
          <>
            {data.rows.length > 0 && <LeagueCurves season={Number(params['season'])} board="prize" />}
            <Outcome standings={data} />
            <Card title="Standings" flush actions={<Badge>{words(data.status)}</Badge>}>
              <StandingsTable standings={data} />
            </Card>
            <Card title="Winners" flush>
              <Table
                caption="Winners"
                columns={[
                  { head: 'Place', cell: ({ place }) => place },
                  { head: 'Entrant', cell: ({ label }) => label.slice(0, 48) },
                  { head: 'Profit', right: true, cell: ({ profit_usd }) => centsUsd(profit_usd) },
                  { head: 'Prize', right: true, cell: (row) => partner(row.amount) },
                  { head: 'State', cell: ({ status }) => <Badge>{status}</Badge> },
                  {
                    head: 'Transfer',
                    cell: ({ tx_hash }) => (tx_hash ? <Copied text={tx_hash} /> : 'not sent'),
                  },
                ]}
                rows={data.winners}
                keyOf={({ entry_id }) => entry_id}
                empty="No winners yet."
              />
            </Card>
            <VerifySeason season={Number(params['season'])} isDecided={data.decided} />
            {data.ledger && (
              <Card title="Ledger">
                <Facts
                  rows={[
                    ['Reserve before', partner(data.ledger.reserve_before)],
                    ['Gain', partner(data.ledger.gain)],
                    ['Added', partner(data.ledger.added)],
                    ['Budget', partner(data.ledger.budget)],
                    ['Paid', partner(data.ledger.paid_total)],
                    ['Settled', data.settled_at ? dateTime(data.settled_at) : 'not yet'],
                  ]}
                />
              </Card>
            )}
          </>
        )}
      </Loaded>
    </Page>
  )
}

const partner = (atoms: string | null): string => `${amount(atoms, 18)} PARTNER`
