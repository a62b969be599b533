import type { Answer } from '@pit/protocol'
import { ago, amount, Badge, Card, Loaded, Table, words } from '@pit/ui'
import { useRead } from '../data/api.ts'
import { symbolOf } from '../data/tokens.ts'
import { Link } from '../router.tsx'

type Trade = Answer<'me.trades'>['trades'][number]
const SHOWN = 5
const TONES = { mined: 'up', reverted: 'down', refused: 'warn', dropped: 'warn', pending: 'plain' } as const

/** The wallet's newest trades, beside the ticket. */
export function RecentTrades() {
  const trades = useRead('me.trades', { query: { limit: SHOWN } }, { everyMs: 15_000 })
  return (
    <Card title="Your last trades" flush actions={<Link href="/portfolio">All trades</Link>}>
      <Loaded of={trades} lines={4}>
        {(data) => (
          <Table
            caption="Your last trades"
            columns={[
              { head: 'Trade', cell: (row) => <span className="num">{pairOf(row)}</span> },
              {
                head: 'Sold',
                right: true,
                cell: ({ amount_in, token_in }) => amount(amount_in, token_in.decimals),
              },
              {
                head: 'Received',
                right: true,
                cell: ({ amount_out, token_out }) => amount(amount_out, token_out.decimals),
              },
              { head: 'State', cell: ({ status }) => <Badge tone={TONES[status]}>{words(status)}</Badge> },
              {
                head: 'Time',
                right: true,
                cell: ({ time, tx_hash }) =>
                  tx_hash === null ? ago(time) : <Link href={`/tx/${tx_hash}`}>{ago(time)}</Link>,
              },
            ]}
            rows={data.trades}
            keyOf={({ id }) => id}
            empty="No trades yet."
          />
        )}
      </Loaded>
    </Card>
  )
}

const pairOf = ({ token_in, token_out }: Trade): string => `${symbolOf(token_in)} → ${symbolOf(token_out)}`
