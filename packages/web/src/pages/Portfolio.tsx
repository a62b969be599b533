import type { Answer } from '@pit/protocol'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Lengths, LineChart } from '../charts/charts.tsx'
import { useAccount } from '../data/account.ts'
import { call, useRead } from '../data/api.ts'
import { ago, amount, bps, count, usd, words } from '../data/format.ts'
import { useSeries } from '../data/series.ts'
import { CheckField } from '../design/Field.tsx'
import { Badge, Button, Card, Page, Stat, Stats } from '../design/parts.tsx'
import { Failure, Loaded, Loading, Notice } from '../design/states.tsx'
import { Table } from '../design/Table.tsx'
import { Link } from '../router.tsx'
import { NeedsWallet } from '../wallet/NeedsWallet.tsx'
import { TxLink } from '../wallet/TxLink.tsx'

type Holdings = Answer<'me.portfolio'>
type Holding = Holdings['holdings'][number]
type TradeRow = Answer<'me.trades'>['trades'][number]

/** Balances, fee tier and trades of the wallet. */
export default function Portfolio() {
  return (
    <Page title="Portfolio" lead="Balances are read from the chain and valued at independent prices.">
      <NeedsWallet why="Sign in to see your balances.">
        <Held />
        <Trades />
      </NeedsWallet>
    </Page>
  )
}

function Held() {
  const portfolio = useRead('me.portfolio', {}, { everyMs: 15_000 })
  return <Loaded of={portfolio}>{(data) => <Holdings data={data} />}</Loaded>
}

function Holdings({ data }: { data: Holdings }) {
  const { volume } = data
  const history = useSeries(`total ${data.wallet}`, data.total_usd, data.read_at * 1000)
  const priced = data.holdings.filter(({ value_usd }) => (value_usd ?? 0) > 0)
  return (
    <>
      <Stats>
        <Stat
          label="Total"
          value={usd(data.total_usd)}
          note={`${data.priced} priced, ${data.unpriced} without a price`}
        />
        <Stat
          label="Your fee (major pairs)"
          value={bps(volume.tier_bps)}
          note={`posted ${volume.posted_bps} bps`}
        />
        <Stat label={`Volume, ${volume.window_days} days`} value={usd(volume.volume_usd)} />
        <Stat
          label="Next tier"
          value={volume.next_tier ? bps(volume.next_tier.bps) : 'lowest reached'}
          note={volume.next_tier ? `${usd(volume.next_tier.volume_to_next_usd)} to go` : ''}
        />
      </Stats>
      {data.unread.length > 0 && (
        <Notice tone="warn" title="Some balances could not be read">
          {data.unread.join(', ')}
        </Notice>
      )}
      <div className="grid">
        <Card title="By value">
          <Lengths
            label="Holdings by value"
            rows={priced
              .sort((a, b) => b.value_usd! - a.value_usd!)
              .slice(0, 8)
              .map(({ symbol, address, value_usd }) => ({
                name: symbol.slice(0, 16) || address,
                value: value_usd!,
                shown: usd(value_usd),
              }))}
          />
        </Card>
        <Card title="Total during this visit">
          <LineChart label="Total in dollars" format={usd} lines={[{ name: 'Total', points: history }]} />
        </Card>
      </div>
      <Card title="Holdings" flush>
        <Table
          caption="Holdings"
          columns={[
            {
              head: 'Token',
              cell: ({ symbol, token }: Holding) => (
                <Link href={`/tokens/${token}`}>{symbol.slice(0, 16)}</Link>
              ),
            },
            { head: 'Kind', cell: ({ kind }) => words(kind) },
            {
              head: 'Amount',
              right: true,
              cell: ({ amount_atoms, decimals }) => amount(amount_atoms, decimals, 8),
            },
            { head: 'Price', right: true, cell: ({ price_usd }) => usd(price_usd) },
            { head: 'Value', right: true, cell: ({ value_usd }) => usd(value_usd) },
            { head: 'Price source', cell: (holding) => <PricedBy holding={holding} /> },
          ]}
          rows={data.holdings}
          keyOf={({ address }) => address}
          empty="No known tokens in this wallet."
        />
      </Card>
    </>
  )
}

function PricedBy({ holding: { mark, unpriced } }: { holding: Holding }) {
  if (unpriced) return <Badge tone="warn">{words(unpriced)}</Badge>
  if (!mark) return <span className="faint">fixed</span>
  return (
    <span className="row">
      <span>{words(mark.source)}</span>
      {mark.stale && <Badge tone="warn">Stale</Badge>}
    </span>
  )
}

const TONES = { mined: 'up', pending: 'accent', reverted: 'down', dropped: 'warn', refused: 'warn' } as const

function Trades() {
  const signedIn = useAccount()
  const [refused, setRefused] = useState(false)
  const pages = useInfiniteQuery({
    queryKey: ['me.trades', refused, signedIn?.keyId],
    initialPageParam: undefined as number | undefined,
    queryFn: ({ pageParam, signal }) =>
      call(
        'me.trades',
        {
          query: {
            limit: 25,
            ...(pageParam !== undefined && { before: pageParam }),
            ...(refused && { refused: '1' as const }),
          },
        },
        { signal },
      ),
    getNextPageParam: ({ next_before }) => next_before ?? undefined,
    refetchInterval: 10_000,
  })
  return (
    <Card
      title="Trades"
      flush
      actions={<CheckField label="Include refused trades" checked={refused} onChange={setRefused} />}
    >
      {pages.error && <Failure error={pages.error} onAgain={() => void pages.refetch()} />}
      {!pages.data && !pages.error && <Loading />}
      {pages.data && (
        <Table
          caption="Trades, newest first"
          columns={[
            { head: 'When', cell: ({ time }: TradeRow) => ago(time) },
            {
              head: 'State',
              cell: ({ status, code }) => <Badge tone={TONES[status]}>{code ?? words(status)}</Badge>,
            },
            { head: 'Way', cell: ({ path }) => words(path) },
            { head: 'Sold', right: true, cell: (row) => side(row.amount_in, row.token_in) },
            {
              head: 'Bought',
              right: true,
              cell: (row) => side(row.amount_out, row.token_out, row.amount_out_kind),
            },
            { head: 'Block', right: true, cell: ({ block }) => count(block) },
            { head: 'Transaction', cell: ({ tx_hash }) => (tx_hash ? <TxLink hash={tx_hash} /> : '–') },
          ]}
          rows={pages.data.pages.flatMap(({ trades }) => trades)}
          keyOf={({ id }) => id}
          empty="No trades yet."
        />
      )}
      {pages.hasNextPage && (
        <div className="pad">
          <Button busy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
            Older trades
          </Button>
        </div>
      )}
    </Card>
  )
}

const side = (atoms: string | null, token: TradeRow['token_in'], kind: string | null = null): string =>
  `${kind === 'minimum' ? 'at least ' : ''}${amount(atoms, token.decimals)} ${(token.symbol ?? token.token).slice(0, 16)}`
