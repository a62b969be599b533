import type { RootState } from '@pit/client'
import type { Answer } from '@pit/protocol'
import {
  Badge,
  ByServer,
  Card,
  ConfirmButton,
  Copied,
  dateTime,
  duration,
  Facts,
  Meter,
  ServerFigure,
  shortHex,
  usd,
  words,
} from '@pit/ui'
import { type ControlLevels, controlsWords, type SessionControls } from '../data/controls.ts'
import { useNowS } from '../data/now.ts'
import { useNamedTokens } from '../data/own.ts'
import { Link } from '../router.tsx'
import { SessionLimits } from './AgentLimits.tsx'
import { type ListedAgent, nameOf } from './Agents.tsx'
import { PendingSession } from './PendingSession.tsx'

type Listed = Answer<'me.sessions'>['sessions'][number]
/** A session as listed by the server, with its on-chain state if it was signed in this browser. */
export type Session = Pick<Listed, 'session_id' | 'role' | 'executor' | 'expires' | 'limits'> & {
  status: Listed['status'] | 'not_listed'
  tokens: readonly string[]
  controls: SessionControls
  levels: ControlLevels
  used: Listed['used'] | null
  onChain: RootState | null
}

export const STATUS_TONES = {
  pending: 'plain',
  active: 'up',
  revoked: 'down',
  expired: 'plain',
  not_listed: 'warn',
} as const
export const CHAIN_TONES = { alive: 'up', ended: 'down', expired: 'plain' } as const
const CHAIN_WORDS = {
  alive: 'Active on chain',
  ended: 'Ended on chain',
  expired: 'Expired on chain',
} as const

/** One session: who may trade, how much is left, and where its controls stand. */
export function SessionCard(props: {
  session: Session
  agent: ListedAgent | undefined
  isRevoking: boolean
  onRevoke(): void
  onGrant(): void
}) {
  const { session, agent } = props
  const { session_id, status, onChain, role, executor, tokens, used, controls } = session
  const named = useNamedTokens(tokens)
  const isUnfinished = status === 'pending' && role === 'owner'
  return (
    <Card
      title={`Session ${shortHex(session_id)}`}
      actions={
        role === 'owner' &&
        !(isUnfinished && onChain === null) && (
          <ConfirmButton
            label="Revoke"
            question="End this session permanently?"
            tight
            busy={props.isRevoking}
            onConfirm={props.onRevoke}
          />
        )
      }
    >
      <div className="row">
        <ServerFigure>
          <Badge tone={STATUS_TONES[status]}>{words(status)}</Badge>
        </ServerFigure>
        {onChain && status !== 'pending' && <Badge tone={CHAIN_TONES[onChain]}>{CHAIN_WORDS[onChain]}</Badge>}
        {role === 'executor' && <Badge>You are the executor</Badge>}
      </div>
      {isUnfinished && (
        <PendingSession sessionId={session_id} isSigned={onChain !== null} onGrant={props.onGrant} />
      )}
      <div className="grid">
        <div className="stack">
          <Facts
            rows={[
              ...(agent
                ? [
                    [
                      'Agent',
                      <Link key="agent" href={`/agents/${agent.id}`}>
                        {nameOf(agent)}
                      </Link>,
                    ] as const,
                  ]
                : []),
              ['Executor', <Copied key="executor" text={executor} />],
              ['Tokens', tokens.map(named.label).join(', ')],
            ]}
          />
          {used ? <SessionLimits session={{ ...session, used }} /> : <Unlisted session={session} />}
        </div>
        {controls !== null && <Controls session={session} controls={controls} />}
      </div>
      <ByServer
        what={
          onChain === null ? 'This session was not signed in this browser. All of it' : 'Usage and levels'
        }
      />
    </Card>
  )
}

/** The server does not list it, so only what was signed is known. */
const Unlisted = ({ session: { limits, expires } }: { session: Session }) => (
  <p className="small">
    {`The server does not list this session. It allows ${usd(limits.max_trade_usd)} a trade and ` +
      `${usd(limits.max_day_usd)} in 24 hours until ${dateTime(expires)}. Revoke it if you do not need it.`}
  </p>
)

function Controls({ session, controls }: { session: Session; controls: NonNullable<SessionControls> }) {
  const { levels } = session
  const { signature_above_usd: above, breakers } = controls
  const texts = controlsWords(controls)
  return (
    <div className="stack">
      {above !== null && above > 0 && levels && (
        <Meter
          label="Without your signature, this hour"
          used={levels.unsigned_usd}
          max={above}
          text={`${usd(Math.max(0, above - levels.unsigned_usd))} left of ${usd(above)}`}
        />
      )}
      {breakers.map((breaker, i) => (
        <Breaker key={breaker.max_fall_usd} breaker={breaker} level={levels?.breakers[i] ?? null} />
      ))}
      {levels === null && <p className="small faint">The co-signer does not show current levels now.</p>}
      <details>
        <summary>Rules of the co-signer</summary>
        <ul className="stack small">
          {texts.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      </details>
    </div>
  )
}

type BreakerTerms = NonNullable<SessionControls>['breakers'][number]
type Level = NonNullable<ControlLevels>['breakers'][number]

/** A breaker: how far the profit and loss is below its best, and when it stops opening trades. */
function Breaker({ breaker, level }: { breaker: BreakerTerms; level: Level | null }) {
  const nowS = useNowS()
  const { max_fall_usd, window_s, cool_down_s } = breaker
  const period = window_s === null ? 'since the start' : `of the last ${duration(window_s)}`
  const until = level?.tripped_until ?? null
  const isTripped = until !== null && until > nowS
  const { best_usd: best = null, now_usd: now = null } = level ?? {}
  const fall = best === null || now === null ? null : Math.max(0, best - now)
  return (
    <div className="stack">
      <Meter
        label={`Breaker at ${usd(max_fall_usd)} below the best ${period}`}
        used={isTripped ? max_fall_usd : fall}
        max={max_fall_usd}
        text={isTripped ? 'tripped' : fall === null ? 'not known' : `${usd(fall)} below`}
      />
      <p className="small faint">
        {isTripped && (
          <>
            <Badge tone="down">Tripped</Badge>{' '}
          </>
        )}
        {isTripped
          ? `Only closing trades until ${dateTime(until)} (${duration(until - nowS)}).`
          : `${level ? `Best ${usd(best)}, now ${usd(now)}. ` : ''}If it trips, only closing trades pass for ${duration(cool_down_s)}.`}
      </p>
    </div>
  )
}
