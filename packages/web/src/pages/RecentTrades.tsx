import { Card, Loaded, Table } from '@pit/ui'
import { useRead } from '../data/api.ts'
import type { TradeRow } from '../data/tradeFilter.ts'
import { Link } from '../router.tsx'
import { useTradeCells } from './TradeCells.tsx'

const SHOWN = 5

/** The wallet's newest trades, beside the ticket. */
export function RecentTrades() {
  const trades = useRead('me.trades', { query: { limit: SHOWN } }, { everyMs: 15_000 })
  const cells = useTradeCells(trades.data?.trades ?? [])
  return (
    <Card title="Your last trades" flush actions={<Link href="/portfolio">All trades</Link>}>
      <Loaded of={trades} lines={4}>
        {(data) => (
          <Table
            caption="Your last trades"
            columns={[
              { head: 'Trade', cell: (row: TradeRow) => <span className="num">{cells.pair(row)}</span> },
              { head: 'Sold', right: true, cell: cells.sold },
              { head: 'Received', right: true, cell: cells.received },
              { head: 'State', cell: cells.state },
              {
                head: 'Time',
                right: true,
                cell: (row) =>
                  row.tx_hash === null ? (
                    cells.when(row)
                  ) : (
                    <Link href={`/tx/${row.tx_hash}`}>{cells.when(row)}</Link>
                  ),
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
