import type { PitClient } from '@pit/client'
import type { Answer } from '@pit/protocol'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { LineChart } from '../charts/charts.tsx'
import { api, queries, useRead } from '../data/api.ts'
import { ago, amount, clock, count, duration, signedPct, usd, words } from '../data/format.ts'
import { useNowS } from '../data/now.ts'
import { useSeries } from '../data/series.ts'
import { ConfirmButton } from '../design/ConfirmButton.tsx'
import { Badge, Button, Card, Copied, Facts, Page, Stat, Stats, Tabs } from '../design/parts.tsx'
import { Empty, Failure, Loaded, Notice } from '../design/states.tsx'
import { Table } from '../design/Table.tsx'
import { toast } from '../design/toast.tsx'
import { Link, navigate } from '../router.tsx'
import { openClient } from '../wallet/connect.ts'
import { NeedsWallet } from '../wallet/NeedsWallet.tsx'
import { AgentOrders } from './AgentOrders.tsx'
import { nameOf, STATUS_TONES } from './Agents.tsx'
import { CheckTrade } from './CheckTrade.tsx'
import { LiveSteps } from './LiveSteps.tsx'
import { WantedSignatures } from './WantedSignatures.tsx'

type AgentDetail = Answer<'hosted.get'>

/** One agent: decisions, results, model costs and controls. */
export default function Agent({ params }: { params: Readonly<Record<string, string>> }) {
  const id = params['id'] ?? ''
  const [name, setName] = useState('Agent')
  return (
    <Page
      title={name}
      lead={<span className="mono break">{id}</span>}
      actions={<Link href="/agents">All agents</Link>}
    >
      <NeedsWallet why="Sign in to see your agent.">
        <Details id={id} onNamed={setName} />
      </NeedsWallet>
    </Page>
  )
}

function Details({ id, onNamed }: { id: string; onNamed(name: string): void }) {
  const agent = useRead('hosted.get', { params: { id } }, { everyMs: 5_000 })
  const name = agent.data && nameOf(agent.data)
  useEffect(() => {
    if (name) onNamed(name)
  }, [name, onNamed])
  return (
    <Loaded of={agent} lines={10}>
      {(data) => (
        <>
          <Headline agent={data} />
          <Switches agent={data} />
          {data.mode === 'live' && <WantedSignatures agent={data} />}
          {data.brain === 'orders' && <AgentOrders agent={data} />}
          <div className="grid wide-first">
            <div className="stack">
              <Timeline id={id} />
              {data.session_id && <CheckTrade sessionId={data.session_id} pairs={data.pairs} />}
            </div>
            <div className="stack">
              <Setup agent={data} />
              {data.mode === 'live' && data.status !== 'stopped' && <LiveSteps agent={data} />}
              {data.brain === 'partner_llm' && <Spend id={id} />}
            </div>
          </div>
        </>
      )}
    </Loaded>
  )
}

function Headline({ agent }: { agent: AgentDetail }) {
  const nowS = useNowS()
  const { pnl, watch, next_tick_holds, last_decision } = agent
  const equity = pnl?.basis === 'paper_book' ? pnl.equity_usd : (pnl?.profit_usd ?? null)
  const points = useSeries(`agent ${agent.id}`, equity, Math.floor(nowS / 5) * 5_000)
  return (
    <>
      <Stats>
        <Stat label="State" value={words(agent.status)} note={words(agent.mode)} />
        <Stat
          label="Profit"
          value={usd(pnl?.profit_usd)}
          note={pnl?.basis === 'paper_book' ? signedPct(pnl.return_pct) : 'from mined trades'}
          tone={(pnl?.profit_usd ?? 0) < 0 ? 'down' : 'plain'}
        />
        <Stat
          label="Equity"
          value={pnl?.basis === 'paper_book' ? usd(pnl.equity_usd) : '–'}
          note={pnl?.basis === 'paper_book' ? `from ${usd(pnl.start_usd)}` : 'live: see portfolio'}
        />
        <Stat
          label="Ticks"
          value={count(watch?.ticks ?? null)}
          note={nextTick(watch?.next_tick_at ?? null, nowS)}
        />
        <Stat label="Last decision" value={last_decision ? ago(last_decision.at, nowS) : 'none yet'} />
      </Stats>
      {watch?.holds.map(({ code, message }) => (
        <Notice key={code} tone="warn" title={`Blocked: ${words(code)}`}>
          {message}
        </Notice>
      ))}
      {next_tick_holds?.map(({ code, message, pair = '', side = '' }) => (
        <Notice key={`${code} ${pair} ${side}`} tone="warn" title={`Next tick blocked: ${words(code)}`}>
          {`${side} ${pair} ${message}`.trim()}
        </Notice>
      ))}
      <Card title="Equity during this visit">
        <LineChart label="Equity" format={usd} lines={[{ name: 'Equity', points }]} />
      </Card>
    </>
  )
}

const nextTick = (at: number | null, nowS: number): string =>
  at === null ? 'not scheduled' : at > nowS ? `next in ${duration(at - nowS)}` : 'next: now'

const aliveIn = ({ sessions }: Awaited<ReturnType<PitClient['hosted']['stop']>>): string[] =>
  sessions.flatMap(({ session_id, state }) => (state === 'alive' ? [session_id] : []))

/** Sessions of a stopped agent that are still active on chain, according to the verifying node. */
function AliveSessions({ ids, onEnded }: { ids: readonly string[]; onEnded(): void }) {
  const ending = useMutation({
    mutationFn: async () => {
      const { client } = await openClient()
      for (const sessionId of ids) await client.revokeSession({ sessionId })
    },
    onSuccess: () => {
      toast('Sessions ended on chain.')
      onEnded()
    },
  })
  return (
    <Notice tone="warn" title="Sessions still active on chain">
      <p className="mono break">{ids.join(', ')}</p>
      <Button kind="danger" busy={ending.isPending} onClick={() => ending.mutate()}>
        End them on chain
      </Button>
      {ending.error && <Failure error={ending.error} />}
    </Notice>
  )
}

const DONE = {
  pause: 'Agent paused.',
  resume: 'Agent resumed.',
  stop: 'Agent stopped.',
  delete: 'Agent deleted.',
} as const

function Switches({ agent }: { agent: AgentDetail }) {
  const { id, status } = agent
  const [left, setLeft] = useState<readonly string[]>([])
  const acting = useMutation({
    mutationFn: async (what: 'pause' | 'resume' | 'stop' | 'delete') => {
      if (what !== 'stop') await api[`hosted.${what}`]({ params: { id } })
      else setLeft(aliveIn(await (await openClient()).client.hosted.stop(id)))
      return what
    },
    onSuccess: (what) => {
      toast(DONE[what])
      if (what === 'delete') navigate('/agents')
      void queries.invalidateQueries({ queryKey: ['hosted.get'] })
      void queries.invalidateQueries({ queryKey: ['hosted.list'] })
    },
  })
  return (
    <>
      <div className="row">
        <Badge tone={STATUS_TONES[status]}>{words(status)}</Badge>
        {agent.pause_reason && <Badge tone="warn">{words(agent.pause_reason.code)}</Badge>}
        {status === 'active' && <Button onClick={() => acting.mutate('pause')}>Pause</Button>}
        {status === 'paused' && <Button onClick={() => acting.mutate('resume')}>Resume</Button>}
        {status !== 'stopped' && (
          <ConfirmButton
            label="Stop permanently"
            question="A stopped agent cannot be resumed, and its session ends. Continue?"
            busy={acting.isPending && acting.variables === 'stop'}
            onConfirm={() => acting.mutate('stop')}
          />
        )}
        {status === 'stopped' && (
          <ConfirmButton
            label="Delete"
            question="Delete this agent with its log?"
            busy={acting.isPending && acting.variables === 'delete'}
            onConfirm={() => acting.mutate('delete')}
          />
        )}
      </div>
      {acting.error && <Failure error={acting.error} />}
      {left.length > 0 && <AliveSessions ids={left} onEnded={() => setLeft([])} />}
    </>
  )
}

const KINDS = [
  { id: 'all', label: 'All' },
  { id: 'decision', label: 'Decisions' },
  { id: 'trade', label: 'Trades' },
  { id: 'hold,error', label: 'Problems' },
]
const KIND_TONES = { decision: 'accent', trade: 'up', hold: 'warn', error: 'down' } as const

function Timeline({ id }: { id: string }) {
  const [kinds, setKinds] = useState('all')
  const query = { limit: 100, ...(kinds !== 'all' && { kinds }) }
  const logs = useRead('hosted.logs', { params: { id }, query }, { everyMs: 5_000 })
  return (
    <Card title="Log">
      <Tabs look="segments" label="Log filter" tabs={KINDS} chosen={kinds} onChoose={setKinds} />
      <Loaded of={logs}>
        {({ rows }) =>
          rows.length === 0 ? (
            <Empty title="No activity yet." />
          ) : (
            <ol className="steps">
              {rows.map((row) => (
                <li
                  key={row.id}
                  className={row.kind === 'error' ? 'broken' : row.kind === 'trade' ? 'done' : ''}
                >
                  <span className="row">
                    <Badge tone={KIND_TONES[row.kind as keyof typeof KIND_TONES] ?? 'plain'}>
                      {words(row.kind)}
                    </Badge>
                    {row.code && <code>{row.code}</code>}
                    <span className="small faint">
                      {`${clock(row.ts)} UTC${row.tick === undefined ? '' : `, tick ${row.tick}`}`}
                    </span>
                  </span>
                  <span className="break">{row.message?.slice(0, 400) ?? ''}</span>
                </li>
              ))}
            </ol>
          )
        }
      </Loaded>
    </Card>
  )
}

function Setup({ agent }: { agent: AgentDetail }) {
  return (
    <Card title="Setup">
      <Facts
        rows={[
          ['Brain', words(agent.brain)],
          ['Pairs', agent.pairs.join(', ')],
          ['Interval', duration(agent.interval_s)],
          ['Max per trade', usd(agent.limits.max_trade_usd)],
          ['Max in 24 hours', usd(agent.limits.max_day_usd)],
          ['Max position', usd(agent.limits.max_position_usd)],
          ...Object.entries((agent.params ?? {}) as object).map(
            ([name, value]) =>
              [
                words(name),
                <span key={name} className="break">
                  {shown(value)}
                </span>,
              ] as const,
          ),
          ...(agent.executor ? [['Executor', <Copied key="executor" text={agent.executor} />] as const] : []),
        ]}
      />
      {agent.pnl?.basis === 'paper_book' && agent.pnl.positions.length > 0 && (
        <Table
          caption="Positions"
          columns={[
            { head: 'Holds', cell: ({ symbol, token }) => (symbol ?? token).slice(0, 16) },
            {
              head: 'Amount',
              right: true,
              cell: ({ amount_atoms, token }) =>
                amount(amount_atoms, agent.tokens.find(({ address }) => address === token)?.decimals ?? null),
            },
            { head: 'Value', right: true, cell: ({ value_usd }) => usd(value_usd) },
          ]}
          rows={agent.pnl.positions}
          keyOf={({ token }) => token}
        />
      )}
    </Card>
  )
}

const shown = (value: unknown): string =>
  (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, 300)

function Spend({ id }: { id: string }) {
  const spend = useRead('hosted.spend', { params: { id } }, { everyMs: 15_000 })
  return (
    <Card title="Model costs">
      <Loaded of={spend}>
        {({ ai }) => (
          <Facts
            rows={[
              ['Model', ai.model],
              ['Paid by', words(ai.funding)],
              ['Today', `${usd(ai.today.usd)} in ${ai.today.calls} calls`],
              ['Budget left', usd(ai.budget_left_usd)],
              [
                'Pool',
                ai.pool
                  ? ai.pool.eligible
                    ? `${usd(ai.pool.share_left_usd)} left`
                    : (ai.pool.why_not ?? 'no')
                  : 'none',
              ],
            ]}
          />
        )}
      </Loaded>
    </Card>
  )
}
