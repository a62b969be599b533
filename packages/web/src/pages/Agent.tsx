import type { Answer } from '@pit/protocol'
import {
  ago,
  centsUsd,
  count,
  duration,
  Loaded,
  Page,
  Stat,
  Stats,
  signedPct,
  usd,
  wholeUsd,
  words,
} from '@pit/ui'
import { useEffect, useState } from 'react'
import { useRead } from '../data/api.ts'
import { pointsOf, type Range } from '../data/curves.ts'
import { maxDrawdownPct } from '../data/equity.ts'
import { useNowS } from '../data/now.ts'
import { Link } from '../router.tsx'
import { NeedsWallet } from '../wallet/NeedsWallet.tsx'
import { AgentBlocked } from './AgentBlocked.tsx'
import { AgentEquity, historyOf } from './AgentEquity.tsx'
import { AgentFills } from './AgentFills.tsx'
import { AgentLimits } from './AgentLimits.tsx'
import { AgentOrders } from './AgentOrders.tsx'
import { AgentSetup, AgentSpend } from './AgentSetup.tsx'
import { AgentSwitches } from './AgentSwitches.tsx'
import { nameOf } from './Agents.tsx'
import { AgentTimeline } from './AgentTimeline.tsx'
import { CheckTrade } from './CheckTrade.tsx'
import { LiveSteps } from './LiveSteps.tsx'
import { WantedSignatures } from './WantedSignatures.tsx'

type AgentDetail = Answer<'hosted.get'>

/** One agent: equity, decisions, limits, orders and controls. */
export default function Agent({ params }: { params: Readonly<Record<string, string>> }) {
  const id = params['id'] ?? ''
  const [name, setName] = useState('Agent')
  return (
    <Page
      title={name}
      source="server"
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
  const [range, setRange] = useState<Range>('day')
  const agent = useRead(
    'hosted.get',
    { params: { id }, query: { range } },
    { everyMs: 5_000, keepsLast: true },
  )
  const name = agent.data && nameOf(agent.data)
  useEffect(() => {
    if (name) onNamed(name)
  }, [name, onNamed])
  return (
    <Loaded of={agent} lines={24}>
      {(data) => (
        <>
          <AgentSwitches agent={data} />
          <AgentBlocked agent={data} />
          {data.mode === 'live' && <WantedSignatures agent={data} />}
          <Headline agent={data} />
          <div className="grid wide-first">
            <div className="stack">
              <AgentEquity agent={data} range={range} onRange={setRange} />
              <AgentFills agent={data} />
            </div>
            <div className="stack">
              <AgentLimits agent={data} />
              {data.mode === 'live' && data.status !== 'stopped' && <LiveSteps agent={data} />}
              <AgentSetup agent={data} />
              {data.brain === 'partner_llm' && <AgentSpend id={id} />}
            </div>
          </div>
          {data.brain === 'orders' && <AgentOrders agent={data} />}
          <AgentTimeline agent={data} />
          {data.session_id && <CheckTrade sessionId={data.session_id} pairs={data.pairs} />}
        </>
      )}
    </Loaded>
  )
}

function Headline({ agent }: { agent: AgentDetail }) {
  const nowS = useNowS()
  const { pnl, watch, last_decision, live_stats } = agent
  const points = pointsOf(historyOf(pnl))
  const drawdown = (pnl?.basis === 'paper_book' ? pnl.max_drawdown_pct : null) ?? maxDrawdownPct(points)
  const equity = pnl?.basis === 'paper_book' ? pnl.equity_usd : (points.at(-1)?.value ?? null)
  const isLive = agent.mode === 'live'
  return (
    <Stats>
      <Stat
        label="Profit"
        value={centsUsd(pnl?.profit_usd)}
        note={pnl?.basis === 'paper_book' ? signedPct(pnl.return_pct) : 'from mined trades'}
        tone={(pnl?.profit_usd ?? 0) < 0 ? 'down' : (pnl?.profit_usd ?? 0) > 0 ? 'up' : 'plain'}
      />
      <Stat
        label="Equity"
        value={equity !== null && equity >= 1e6 ? wholeUsd(equity) : usd(equity)}
        note={pnl?.basis === 'paper_book' ? `from ${usd(pnl.start_usd)}` : 'its tokens in the wallet'}
      />
      <Stat
        label="Max drawdown"
        value={drawdown === null ? '–' : `${drawdown.toFixed(2)}%`}
        note="below an earlier high"
      />
      {isLive && (
        <Stat
          label="Trades"
          value={count(live_stats?.mined ?? 0)}
          note={`${usd(live_stats?.volume_usd ?? 0)} traded`}
        />
      )}
      <Stat
        label="Decisions"
        value={count(watch?.ticks ?? null)}
        note={nextTick(watch?.next_tick_at ?? null, nowS)}
      />
      <Stat
        label="Last decision"
        value={last_decision ? ago(last_decision.at, nowS) : 'none yet'}
        note={`${isLive ? 'Live' : 'Paper'}, ${words(agent.brain)}`}
      />
    </Stats>
  )
}

const nextTick = (at: number | null, nowS: number): string =>
  at === null ? 'none scheduled' : at > nowS ? `next in ${duration(at - nowS)}` : 'next: now'
