import { type TradeParams, tokenNamed } from '@pit/client'
import { Button, Card, Empty, Failure, Page, shortHex, Tabs } from '@pit/ui'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useAccount } from '../data/account.ts'
import { api } from '../data/api.ts'
import { usePinned } from '../data/own.ts'
import { askOf, type TicketState } from '../data/ticket.ts'
import { Link, navigate, useLocation } from '../router.tsx'
import { SignInPrompt } from '../wallet/NeedsWallet.tsx'
import { Order, type Phase } from './Order.tsx'
import { OrdersTab } from './OrdersTab.tsx'
import { Quoted } from './Quoted.tsx'
import { RecentTrades } from './RecentTrades.tsx'
import { RisksToAccept } from './RisksToAccept.tsx'
import { TicketFields, useSoldToken } from './Ticket.tsx'
import { Candles, PriceLine } from './TokenMarket.tsx'

const TABS = [
  { id: 'market', label: 'Market' },
  { id: 'limit', label: 'Limit' },
  { id: 'stop', label: 'Stop' },
] as const

/** One ticket beside the chart: quote, review, confirm, receipt. */
export default function Trade() {
  const { searchParams } = useLocation()
  const signedIn = useAccount()
  const [tab, setTab] = useState('market')
  const pins = usePinned()
  const named = [searchParams.get('out') ?? 'USDG', searchParams.get('in') ?? 'ETH']
  const unlisted = named.find((token) => token.startsWith('0x'))
  const charted = named.find((token) => token !== 'USDG' && pins && tokenNamed(pins, token))
  const symbol = charted === 'WETH' ? 'ETH' : (charted ?? 'ETH')
  const address = (pins && tokenNamed(pins, symbol)) ?? ''
  return (
    <Page
      title="Trade"
      lead={
        unlisted ? (
          'Quote, review, sign.'
        ) : (
          <>
            <PriceLine symbol={symbol} />
            <span className="small faint block by-server">Price: according to the server.</span>
          </>
        )
      }
    >
      <div className="trade">
        <div className="stack trade-chart">
          {unlisted ? <NoChart address={unlisted} /> : <Candles symbol={symbol} address={address} />}
          {signedIn && <RecentTrades />}
        </div>
        <div className="stack">
          <Tabs label="Kind of order" look="segments" tabs={TABS} chosen={tab} onChoose={setTab} />
          {!signedIn && (
            <SignInPrompt
              why="Sign in to trade."
              note="Each trade is verified in your browser before you sign it. Your keys never leave your wallet."
            />
          )}
          {signedIn && tab === 'market' && <MarketTicket />}
          {signedIn && (tab === 'limit' || tab === 'stop') && <OrdersTab kind={tab} />}
        </div>
      </div>
    </Page>
  )
}

const NoChart = ({ address }: { address: string }) => (
  <Card title={`Price of ${shortHex(address)}`}>
    <Empty title="Price charts exist for core tokens only.">
      <Link href={`/tokens/${address}`}>See its risks and venues</Link>
    </Empty>
  </Card>
)

function ticketFrom(query: URLSearchParams): TicketState {
  const amount = query.get('amount')
  return {
    tokenIn: query.get('in') ?? (query.get('out') === 'USDG' ? 'ETH' : query.has('out') ? 'USDG' : 'ETH'),
    tokenOut: query.get('out') ?? 'USDG',
    unit: amount === null ? 'usd' : 'token',
    size: amount ?? query.get('usd') ?? '25',
    slippage: '',
    shield: false,
    nonUs: false,
    accepted: [],
  }
}

function MarketTicket() {
  const { searchParams } = useLocation()
  const [ticket, setTicket] = useState<TicketState>(() => ticketFrom(searchParams))
  const sold = useSoldToken(ticket.tokenIn)
  const quoting = useMutation({ mutationFn: quote })
  const [phase, setPhase] = useState<Phase>('start')
  const change = (part: Partial<TicketState>) => {
    const isOtherToken = part.tokenIn !== undefined && ticket.unit === 'token'
    const next: TicketState = { ...ticket, ...(isOtherToken && { size: '' }), ...part }
    setTicket(next)
    setPhase('start')
    const size = next.unit === 'usd' ? { usd: next.size } : { amount: next.size }
    navigate(`/trade?${new URLSearchParams({ in: next.tokenIn, out: next.tokenOut, ...size })}`, 'replace')
    if (!('accepted' in part)) quoting.reset()
  }
  const request = askOf(ticket, sold)
  return (
    <>
      {phase !== 'done' && (
        <Card title="Ticket">
          <TicketFields ticket={ticket} sold={sold} onChange={change} />
          <div className="row">
            <Button
              kind={quoting.data ? 'plain' : 'primary'}
              busy={quoting.isPending}
              disabled={typeof request === 'string'}
              onClick={() => typeof request !== 'string' && quoting.mutate(request)}
            >
              Get quote
            </Button>
            {typeof request === 'string' && <span className="faint">{request}</span>}
          </div>
        </Card>
      )}
      {quoting.error && <Failure error={quoting.error} />}
      {phase === 'start' && quoting.data && (
        <>
          <Quoted quote={quoting.data} />
          <RisksToAccept
            risks={quoting.data.risks}
            accepted={ticket.accepted}
            onChange={(accepted) => change({ accepted })}
          />
        </>
      )}
      {typeof request !== 'string' && (
        <Order
          key={JSON.stringify(request)}
          request={request}
          isQuoted={quoting.data !== undefined}
          onPhase={setPhase}
          onAgain={() => change({ size: '' })}
        />
      )}
    </>
  )
}

/** Aggregators are for comparison only; trades never use them. */
const quote = ({ owner_attests_non_us: _, ...params }: TradeParams) =>
  api['live.quote']({
    body: {
      ...params,
      venues: ['venue_pool', 'venue_curve', 'aggregator_1', 'aggregator_2', 'aggregator_3'],
    } as never,
  })
