import type { Answer } from '@pit/protocol'
import {
  Badge,
  Button,
  bps,
  Card,
  clock,
  count,
  day,
  Empty,
  Facts,
  Failure,
  Loading,
  many,
  ServerText,
  Tabs,
  type Tone,
  usd,
  words,
} from '@pit/ui'
import { useInfiniteQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useAccount } from '../data/account.ts'
import { type SeenInput, type TimelineEntry, type TradeOf, timelineOf } from '../data/agentLog.ts'
import { call } from '../data/api.ts'
import { holdWords } from '../data/holds.ts'
import { type NamedTokens, useNamedTokens } from '../data/own.ts'
import { TxLink } from '../wallet/TxLink.tsx'

type AgentDetail = Answer<'hosted.get'>

const KINDS = [
  { id: 'all', label: 'All' },
  { id: 'decision,trade,watch', label: 'Decisions' },
  { id: 'trade,watch', label: 'Trades' },
  { id: 'hold,error', label: 'Problems' },
]
const ROWS_PER_PAGE = 100
const SHOWN = 15

const OUTCOMES: Record<TimelineEntry['outcome'], { label: string; tone: Tone }> = {
  traded: { label: 'Traded', tone: 'up' },
  blocked: { label: 'Blocked', tone: 'warn' },
  failed: { label: 'Failed', tone: 'down' },
  idle: { label: 'No trade', tone: 'plain' },
  event: { label: 'Event', tone: 'accent' },
}

/** Decisions, newest first: input, reason, rules and transaction of each. */
export function AgentTimeline({ agent }: { agent: AgentDetail }) {
  const signedIn = useAccount()
  const [kinds, setKinds] = useState('all')
  const pages = useInfiniteQuery({
    queryKey: ['hosted.logs', agent.id, kinds, signedIn?.keyId],
    initialPageParam: undefined as number | undefined,
    queryFn: ({ pageParam, signal }) => {
      const query = {
        limit: ROWS_PER_PAGE,
        ...(kinds !== 'all' && { kinds }),
        ...(pageParam !== undefined && { before: pageParam }),
      }
      return call('hosted.logs', { params: { id: agent.id }, query }, { signal })
    },
    getNextPageParam: ({ next_before }) => next_before ?? undefined,
    refetchInterval: 5_000,
  })
  const [shown, setShown] = useState(SHOWN)
  const named = useNamedTokens(agent.tokens.map(({ token }) => token))
  const entries = timelineOf(pages.data?.pages.flatMap(({ rows }) => rows) ?? [])
  const showMore = () => {
    if (shown + SHOWN > entries.length && pages.hasNextPage) void pages.fetchNextPage()
    setShown(shown + SHOWN)
  }
  return (
    <Card
      title="Decisions"
      flush
      source="server"
      actions={<Tabs look="segments" label="Show" tabs={KINDS} chosen={kinds} onChoose={setKinds} />}
    >
      {pages.error && <Failure error={pages.error} onAgain={() => void pages.refetch()} />}
      {!pages.data && !pages.error && <Loading lines={12} />}
      {pages.data && entries.length === 0 && <Empty title="Nothing yet. The first decision is on its way." />}
      <ol className="timeline" aria-label="Decisions, newest first">
        {entries.slice(0, shown).map((entry) => (
          <li key={entry.id}>
            <Entry entry={entry} named={named} />
          </li>
        ))}
      </ol>
      {(pages.hasNextPage || shown < entries.length) && (
        <div className="pad">
          <Button busy={pages.isFetchingNextPage} onClick={showMore}>
            Older decisions
          </Button>
        </div>
      )}
    </Card>
  )
}

/** Live means with real funds, also while an agent is switched off. */
const SWITCHED: Readonly<Record<string, string>> = { LIVE_ON: 'Switched on', LIVE_OFF: 'Switched off' }

function Entry({ entry, named }: { entry: TimelineEntry; named: NamedTokens }) {
  const { label, tone } = OUTCOMES[entry.outcome]
  const { code } = entry
  const title = entry.outcome === 'event' && code ? (SWITCHED[code] ?? words(code)) : label
  return (
    <details className="decision">
      <summary>
        <Badge tone={tone}>{title}</Badge>
        <span className="decision-reason break">{entry.reason.slice(0, 240) || words(code ?? '')}</span>
        <span className="small faint num">
          {entry.more > 0 ? `${clock(entry.atS)}, ${entry.more} more alike` : clock(entry.atS)}
        </span>
      </summary>
      <div className="decision-steps">
        <Step title="Input">
          {entry.seen ? <Input seen={entry.seen} named={named} /> : <p className="faint">Not recorded.</p>}
        </Step>
        <Step title="Reason">
          <p className="break">{entry.reason || 'None given.'}</p>
          {code && entry.outcome !== 'event' && <Cure code={code} />}
          <p className="small faint">
            {`${day(entry.atS)} ${clock(entry.atS)}${entry.tick === null ? '' : `, decision ${count(entry.tick)}`}`}
          </p>
        </Step>
        <Step title="Rules">
          <Rules entry={entry} />
        </Step>
        <Step title="Transaction">
          {entry.trades.length === 0 && <p className="faint">None.</p>}
          {entry.trades.map((trade) => (
            <Trade key={`${trade.order.n} ${trade.atS}`} trade={trade} named={named} />
          ))}
        </Step>
      </div>
    </details>
  )
}

const Step = ({ title, children }: { title: string; children: ReactNode }) => (
  <section>
    <h3>{title}</h3>
    {children}
  </section>
)

function Cure({ code }: { code: string }) {
  const { cure } = holdWords(code)
  return cure && <p className="small faint">{cure}</p>
}

function Input({ seen, named }: { seen: SeenInput; named: NamedTokens }) {
  return (
    <Facts
      rows={[
        ...seen.pairs.map(
          ({ pair, price_usd, stale, marks }) =>
            [
              pair.slice(0, 40),
              [
                price_usd === null ? 'no price' : usd(price_usd),
                ...(stale ? ['old'] : []),
                ...(marks > 0 ? [many(marks, 'earlier price')] : []),
              ].join(', '),
            ] as const,
        ),
        ['Equity', usd(seen.equity_usd)],
        [
          'Holdings',
          seen.positions.map(({ token, atoms }) => named.amount(atoms, token)).join(', ') || 'none',
        ],
        ['Traded in 24 hours', usd(seen.day_used_usd)],
      ]}
    />
  )
}

const orderText = ({ pair, side, usd: size }: TradeOf['order']): string =>
  `${side === 'buy' ? 'Buy' : 'Sell'} ${usd(size)} of ${pair.slice(0, 40)}`

function Rules({ entry: { rules, problems } }: { entry: TimelineEntry }) {
  if (rules.length === 0 && problems.length === 0) return <p className="faint">No order to check.</p>
  return (
    <ul className="stack">
      {rules.map(({ order, hold }) => (
        <li key={order.n}>
          <span className="row">
            <Badge tone={hold ? 'warn' : 'up'}>{hold ? 'Refused' : 'Passed'}</Badge>
            {orderText(order)}
          </span>
          {hold && (
            <>
              <p className="break">
                {`${holdWords(hold.code).title}. `}
                <ServerText text={hold.message} />
              </p>
              <Cure code={hold.code} />
            </>
          )}
        </li>
      ))}
      {problems.map(({ code, message }) => (
        <li key={`${code} ${message}`}>
          <p className="break">
            <Badge tone="warn">{holdWords(code ?? 'error').title}</Badge> <ServerText text={message} />
          </p>
          {code && <Cure code={code} />}
        </li>
      ))}
    </ul>
  )
}

function Trade({ trade, named }: { trade: TradeOf; named: NamedTokens }) {
  const { txHash, receipt } = trade
  return (
    <>
      <p>{`${orderText(trade.order)}${trade.isPaper ? ' on paper' : ''}`}</p>
      <Facts
        rows={[
          ['Sold', named.amount(trade.amountIn, trade.tokenIn ?? '')],
          [
            'Received',
            `${trade.isMinimum ? 'at least ' : ''}${named.amount(trade.amountOut, trade.tokenOut ?? '')}`,
          ],
          ...(trade.feeBps === null ? [] : [['Fee', bps(trade.feeBps)] as const]),
          ...(trade.gasUsd === null ? [] : [['Gas', usd(trade.gasUsd)] as const]),
          ...(trade.route === null ? [] : [['Route', trade.route] as const]),
          ...(txHash === null ? [] : [['Transaction', <TxLink key="tx" hash={txHash} />] as const]),
          ...(receipt === null
            ? []
            : [['Receipt', <ServerText key="receipt" text={receipt.message} />] as const]),
        ]}
      />
    </>
  )
}
