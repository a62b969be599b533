import type { RecordedSession } from '@pit/client'
import type { Answer } from '@pit/protocol'
import { ByServer, Card, dateTime, duration, Meter, many, usd } from '@pit/ui'
import { dayUsedUsd } from '../data/agentLog.ts'
import { useRead } from '../data/api.ts'
import { useNowS } from '../data/now.ts'
import { useAgentRecord, useNamedTokens, useRecordedSessions } from '../data/own.ts'

type AgentDetail = Answer<'hosted.get'>
type Session = Answer<'me.sessions'>['sessions'][number]

/** Amounts left to trade: by the agent’s own limits and those of its session. */
export function AgentLimits({ agent }: { agent: AgentDetail }) {
  const query = { limit: 50 }
  const logs = useRead('hosted.logs', { params: { id: agent.id }, query }, { everyMs: 10_000 })
  const isLive = agent.session_id !== null
  const mine = useRead('me.sessions', {}, { everyMs: 10_000, enabled: isLive })
  const session = mine.data?.sessions.find(({ session_id }) => session_id === agent.session_id)
  const recorded = useRecordedSessions(mine.dataUpdatedAt)
  const own = recorded.data?.sessions.find(({ session_id }) => session_id === agent.session_id)
  const record = useAgentRecord(agent.id)
  // As its owner requested them here, whatever the server answers.
  const { max_trade_usd, max_day_usd, max_position_usd } = record?.limits ?? agent.limits
  const used = logs.data ? dayUsedUsd(logs.data.rows) : null
  const positions = agent.pnl?.basis === 'paper_book' ? agent.pnl.positions : []
  const held = positions.filter(({ token }) => token !== 'USDG')
  const named = useNamedTokens(held.map(({ token }) => token))
  return (
    <Card title="Limits left">
      <Meter
        label="24 hours"
        used={used}
        max={max_day_usd}
        text={used === null ? `– of ${usd(max_day_usd)}` : leftText(max_day_usd - used, max_day_usd)}
      />
      {held.map(({ token, value_usd }) => (
        <Meter
          key={token}
          label={`Position in ${named.label(token)}`}
          used={value_usd}
          max={max_position_usd}
          text={value_usd === null ? 'no price' : leftText(max_position_usd - value_usd, max_position_usd)}
        />
      ))}
      <p className="small faint">
        {`At most ${usd(max_trade_usd)} a trade and ${usd(max_position_usd)} in one token. ` +
          'As of its last decision.'}
      </p>
      {session && <SessionLimits session={own ? { ...session, ...termsOf(own) } : session} />}
      <ByServer what={record ? 'Usage' : own ? 'Usage, and the agent’s limits' : 'Limits and usage'} />
    </Card>
  )
}

/** Terms of a session as they were signed here. */
export const termsOf = ({ binding }: RecordedSession): Pick<Session, 'limits' | 'expires'> => ({
  expires: binding.expires_at,
  limits: {
    max_trade_usd: binding.limits.max_trade_micro_usd / 1e6,
    max_day_usd: binding.limits.max_day_micro_usd / 1e6,
    max_trades: binding.limits.max_trades,
  },
})

/** Limits of a session; what is used is the server's count. */
export function SessionLimits({
  session: { limits, used, expires },
}: {
  session: Pick<Session, 'limits' | 'used' | 'expires'>
}) {
  const leftS = expires - useNowS()
  return (
    <>
      <Meter
        label="Session, 24 hours"
        used={used.last_24h_usd}
        max={limits.max_day_usd}
        text={leftText(limits.max_day_usd - used.last_24h_usd, limits.max_day_usd)}
      />
      <Meter
        label="Session, trades"
        used={used.trades}
        max={limits.max_trades}
        text={`${many(Math.max(0, limits.max_trades - used.trades), 'trade')} left of ${limits.max_trades}`}
      />
      <p className="small faint" title={dateTime(expires)}>
        {`At most ${usd(limits.max_trade_usd)} a trade. `}
        {leftS > 0 ? `Expires in ${duration(leftS)}.` : 'Expired.'}
      </p>
    </>
  )
}

const leftText = (left: number, max: number): string => `${usd(Math.max(0, left))} left of ${usd(max)}`
