import type { Answer } from '@pit/protocol'
import { Card, count, dateTime, Facts, usd } from '@pit/ui'

/** How the score is made, step by step. */
export function LeagueRules({ league: { rules, schedule, now } }: { league: Answer<'league'> }) {
  return (
    <div className="grid wide-first">
      <Card title="How the score is made">
        <ol className="score-steps">
          {[
            'Everyone starts each season with an empty book. Earlier holdings of the wallet do not count.',
            'A token that a trade sells is brought into the book at the independent price of that minute. The highest amount in at once is the capital.',
            'A bought token stays in the book at independent prices. Fees are part of every trade; gas is subtracted.',
            'Each hour the book is compared with the wallet. Money that left without a trade leaves the book, so it cannot be counted twice.',
            'At the end each token counts at the median of its prices of the last day.',
            'Score: value of the book, plus what left, less what was brought in, less gas. Higher profit ranks first; then less capital, then the earlier entry.',
            'Profit that no independent price confirms does not count for the rank.',
          ].map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ol>
        <p className="small faint">{rules.valuation}</p>
      </Card>
      <Card title="Prizes and seasons">
        <Facts
          rows={[
            ['Shares', rules.split_pct.map((share) => `${share}%`).join(' / ')],
            ['Minimum field', `${rules.min_owner_clusters} owner clusters, otherwise no payout`],
            ['Prize cap', `${usd(rules.prize_cap_usd)} per season`],
            ['Reserve', `at most ${rules.reserve_ceiling_seasons} × the prize cap`],
            ['Copy trading', `same trade as another entrant within ${rules.copy_window_s} s`],
            ['Practice', `${count(rules.practice.book_usdg)} USDG on paper; ${rules.practice.division}`],
            ['Seasons', schedule.starts],
            ['Server time', dateTime(now)],
          ]}
        />
      </Card>
    </div>
  )
}
