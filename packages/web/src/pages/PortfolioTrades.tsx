import {
  Button,
  Card,
  Failure,
  Field,
  Loading,
  many,
  SelectField,
  ServerFigure,
  shortHex,
  Table,
  words,
} from '@pit/ui'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useAccount } from '../data/account.ts'
import { call, useRead } from '../data/api.ts'
import { usePinned, useTokenFacts } from '../data/own.ts'
import { type Facts, labelOf } from '../data/tokens.ts'
import {
  isFiltered,
  matches,
  NO_FILTER,
  SIDES,
  type TradeFilter,
  type TradeRow,
  traderOf,
  usdgOf,
  WALLET,
} from '../data/tradeFilter.ts'
import { TxLink } from '../wallet/TxLink.tsx'
import { useTradeCells } from './TradeCells.tsx'

const STATUSES = ['mined', 'pending', 'reverted', 'dropped', 'refused'] as const
const ROWS_PER_PAGE = 100
/** A phone shows each trade on seven lines. */
const SHOWN = matchMedia('(max-width: 639px)').matches ? 8 : 25

/** The wallet's trades with filters; older ones are loaded while a filter looks for more. */
export function PortfolioTrades() {
  const signedIn = useAccount()
  const [filter, setFilter] = useState<TradeFilter>(NO_FILTER)
  const [shown, setShown] = useState(SHOWN)
  const withRefused = filter.status === 'refused' || filter.status === 'dropped'
  const pages = useInfiniteQuery({
    queryKey: ['me.trades', withRefused, signedIn?.keyId],
    initialPageParam: undefined as number | undefined,
    queryFn: ({ pageParam, signal }) => {
      const query = {
        limit: ROWS_PER_PAGE,
        ...(pageParam !== undefined && { before: pageParam }),
        ...(withRefused && { refused: '1' as const }),
      }
      return call('me.trades', { query }, { signal })
    },
    getNextPageParam: ({ next_before }) => next_before ?? undefined,
    refetchInterval: 10_000,
  })
  const mine = useRead('me.sessions', {})
  const all = pages.data?.pages.flatMap(({ trades }) => trades) ?? []
  const usdg = usdgOf(usePinned())
  const facts = useTokenFacts(all.flatMap(({ token_in, token_out }) => [token_in.address, token_out.address]))
  const matching = all.filter((trade) => matches(trade, filter, usdg))
  const cells = useTradeCells(matching.slice(0, shown))
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = pages
  const needsMore = isFiltered(filter) && matching.length < shown && hasNextPage && !isFetchingNextPage
  useEffect(() => {
    if (needsMore) void fetchNextPage()
  }, [needsMore, fetchNextPage])
  const nameOf = (sessionId: string) =>
    mine.data?.hosted.find(({ session_id }) => session_id === sessionId)?.name?.slice(0, 32) ??
    `Session ${shortHex(sessionId)}`
  const traderName = (trade: TradeRow) =>
    trade.session_id ? nameOf(trade.session_id) : trade.path === 'fast' ? 'Wallet, fast mode' : 'Wallet'
  return (
    <Card title="Trades" flush>
      <Filters filter={filter} onChange={setFilter} trades={all} facts={facts} nameOf={nameOf} />
      {pages.error && <Failure error={pages.error} onAgain={() => void pages.refetch()} />}
      {!pages.data && !pages.error && <Loading lines={12} />}
      {pages.data && (
        <Table
          caption="Trades, newest first"
          columns={[
            {
              head: 'When',
              cell: (row: TradeRow) => cells.when(row),
            },
            {
              head: 'State',
              cell: cells.state,
            },
            { head: 'Side', cell: cells.side },
            { head: 'Sold', right: true, cell: cells.sold },
            {
              head: 'Received',
              right: true,
              cell: cells.received,
            },
            { head: 'By', cell: (row) => <ServerFigure>{traderName(row)}</ServerFigure> },
            { head: 'Transaction', cell: ({ tx_hash }) => (tx_hash ? <TxLink hash={tx_hash} /> : '–') },
          ]}
          rows={matching.slice(0, shown)}
          keyOf={({ id }) => id}
          empty={isFiltered(filter) ? 'No trade matches.' : 'No trades yet.'}
        />
      )}
      {pages.data && (shown < matching.length || hasNextPage || isFiltered(filter)) && (
        <div className="pad row between">
          <span className="small faint">
            {isFiltered(filter)
              ? `${many(matching.length, 'trade')} of ${many(all.length, 'loaded trade')}`
              : ''}
          </span>
          {(shown < matching.length || hasNextPage) && (
            <Button
              busy={isFetchingNextPage}
              onClick={() => {
                if (shown + SHOWN > matching.length && hasNextPage) void fetchNextPage()
                setShown(shown + SHOWN)
              }}
            >
              Older trades
            </Button>
          )}
        </div>
      )}
    </Card>
  )
}

function Filters(props: {
  filter: TradeFilter
  onChange(filter: TradeFilter): void
  trades: readonly TradeRow[]
  facts: Facts
  nameOf(sessionId: string): string
}) {
  const { filter, onChange, trades, facts, nameOf } = props
  const set =
    <Name extends keyof TradeFilter>(name: Name) =>
    (value: string) =>
      onChange({ ...filter, [name]: value })
  const tokens = new Map(
    trades.flatMap(({ token_in, token_out }) =>
      [token_in, token_out].map(({ address }) => [address, labelOf(facts, address)]),
    ),
  )
  const traders = [...new Set(trades.map(traderOf))].filter((id) => id !== WALLET)
  const day = (name: 'from' | 'to', label: string) => (
    <Field label={label}>
      {(given) => (
        <input
          {...given}
          className="input"
          type="date"
          value={filter[name]}
          onChange={({ target }) => set(name)(target.value)}
        />
      )}
    </Field>
  )
  return (
    <div className="pad grid filters">
      <SelectField
        label="Token"
        value={filter.token}
        onChange={set('token')}
        choices={[
          { value: '', label: 'All' },
          ...[...tokens].map(([value, label]) => ({ value: value!, label: label! })),
        ]}
      />
      <SelectField
        label="Side"
        value={filter.side}
        onChange={set('side')}
        choices={[
          { value: '', label: 'All' },
          ...Object.entries(SIDES).map(([value, label]) => ({ value, label })),
        ]}
      />
      <SelectField
        label="State"
        value={filter.status}
        onChange={set('status')}
        choices={[{ value: '', label: 'All' }, ...STATUSES.map((value) => ({ value, label: words(value) }))]}
      />
      <SelectField
        label="Traded by"
        value={filter.by}
        onChange={set('by')}
        choices={[
          { value: '', label: 'All' },
          { value: WALLET, label: 'Wallet' },
          ...traders.map((value) => ({ value, label: nameOf(value) })),
        ]}
      />
      {day('from', 'From')}
      {day('to', 'To')}
      {isFiltered(filter) && (
        <div className="field">
          <span className="label">{'\u00a0'}</span>
          <Button onClick={() => onChange(NO_FILTER)}>Clear filters</Button>
        </div>
      )}
    </div>
  )
}
