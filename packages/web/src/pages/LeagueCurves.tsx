import type { Board } from '@pit/protocol'
import { Card, Failure, signedPct } from '@pit/ui'
import { EquityChart } from '@pit/ui/charts'
import { useAccount } from '../data/account.ts'
import { useRead } from '../data/api.ts'
import { pointsOf, useLeagueCurves } from '../data/curves.ts'

const MAX_LINES = 5

/** Returns of the first entrants over the season, and of the visitor's own entry. */
export function LeagueCurves({ season, board }: { season: number; board: Board }) {
  const signedIn = useAccount()
  const curves = useLeagueCurves(season, board)
  const mine = useRead('league.me', {}, { enabled: signedIn !== null })
  const ownIds = new Set(mine.data?.entries.map(({ entry_id }) => entry_id))
  const isOwn = ({ entry_id }: { entry_id: number }) => ownIds.has(entry_id)
  const all = (curves.data ?? []).filter(({ points }) => points.length > 0)
  const own = all.find(isOwn)
  const first = all.filter((curve) => curve !== own).slice(0, own ? MAX_LINES - 1 : MAX_LINES)
  const shown = [...first, ...(own ? [own] : [])].sort((a, b) => a.rank - b.rank)
  return (
    <Card title="Return over the season">
      {curves.error ? (
        <Failure error={curves.error} onAgain={() => void curves.refetch()} />
      ) : (
        <EquityChart
          label="Return of the first entrants in percent"
          format={signedPct}
          series={shown.map((curve) => ({
            // Untrusted text: truncated.
            name: `${curve.rank}. ${curve.label.slice(0, 24)}${curve === own ? ' (you)' : ''}`,
            points: pointsOf(curve.points),
          }))}
        />
      )}
    </Card>
  )
}
