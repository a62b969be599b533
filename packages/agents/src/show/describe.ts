import { type Answer, boundRiskTerms, FEE, type SessionBinding } from '@pit/protocol'
import type { HostedDeps } from '../deps.ts'
import { lower } from '../deps.ts'
import type { StoredAgent } from '../store.ts'
import { limitsJson } from '../terms/limits.ts'
import { policiesOf } from '../terms/riskTerms.ts'
import type { AgentTerms } from '../types.ts'
import type { Around } from './readAround.ts'
import { type Fall, livePnl, liveStats, type Marked, paperPnl } from './results.ts'
import { holdsOf, isTrading, watchOf } from './standing.ts'

export type Entry = Answer<'hosted.list'>['agents'][number]
type Terms = Entry['terms']

/** An agent as it is listed. `fall` is read for one agent only. */
export function describeAgent(
  deps: Pick<HostedDeps, 'profile' | 'market'>,
  agent: StoredAgent,
  around: Around,
  fall?: Fall | null,
): Entry {
  const session = agent.sessionId === null ? null : (around.sessions.get(agent.sessionId) ?? null)
  const holds = holdsOf(agent, session, around.switched)
  return {
    id: agent.id,
    name: agent.name,
    brain: agent.brain,
    params: agent.params,
    interval_s: agent.intervalS,
    pairs: [...agent.pairs],
    limits: limitsJson(agent.limits),
    mode: agent.mode,
    live: agent.live,
    status: agent.status,
    pause_reason: agent.status === 'paused' ? agent.pauseReason : null,
    trading: isTrading(agent, holds),
    session_id: agent.sessionId,
    executor: agent.executor,
    terms: termsJson(agent.terms),
    session_terms: session && sessionTermsJson(session.binding),
    tokens: agent.tokens.map((token) => ({ ...token })),
    ...resultsOf(deps, agent, around, fall),
    last_decision: agent.lastDecision,
    watch: watchOf(agent, session, holds, around.nowS),
  }
}

function resultsOf(
  deps: Pick<HostedDeps, 'profile' | 'market'>,
  agent: StoredAgent,
  { books, trades, fees }: Around,
  fall: Fall | null | undefined,
): Pick<Entry, 'pnl' | 'live_stats'> {
  if (agent.mode === 'paper') {
    const book = agent.bookId === null ? undefined : books.get(agent.bookId)
    return { pnl: book ? paperPnl(book, agent.tokens, fall) : null, live_stats: null }
  }
  const own = trades.filter(({ agentId }) => agentId === agent.id)
  const paid = fees.filter(({ agentId }) => agentId === agent.id)
  return { pnl: livePnl(own, marksOf(deps, agent)), live_stats: liveStats(own, paid) }
}

function marksOf(
  { profile, market }: Pick<HostedDeps, 'profile' | 'market'>,
  { tokens }: StoredAgent,
): Marked {
  const known = [...profile.core_tokens, ...profile.listed_stocks, ...tokens]
  return {
    decimals: (token) => known.find(({ address }) => lower(address) === token)?.decimals,
    priceE18: (token) => market.mark(token)?.priceE18,
  }
}

const FEES = {
  major_max_bps: FEE.majorMaxBps,
  major_min_bps: FEE.majorMinBps,
  other_bps: FEE.otherBps,
}

/** The agent's own. With shield `shield_add_bps` comes on top of each rate. */
function termsJson(terms: AgentTerms): Terms {
  return {
    accept_risks: [...terms.acceptRisks],
    shield: terms.shield,
    policies: [...policiesOf(terms)],
    fees: withShield(FEES, terms.shield, FEE.shieldAddBps),
    fee_schedule: FEE.schedule,
  }
}

/** The session's, as its owner signed them. */
export function sessionTermsJson(binding: SessionBinding): Terms {
  const { accept_risks, shield, policies } = boundRiskTerms(binding)
  const { fee } = binding
  const terms = { accept_risks: [...accept_risks], shield, policies: [...policies] }
  if (fee.schedule === 1) {
    const one = fee.fee_bps
    const fees = { major_max_bps: one, major_min_bps: one, other_bps: one }
    return { ...terms, fees, fee_schedule: fee.schedule, fee_bps: one }
  }
  const { major_max_bps, major_min_bps, other_bps, shield_add_bps } = fee
  const fees = { major_max_bps, major_min_bps, other_bps }
  return { ...terms, fees: withShield(fees, shield, shield_add_bps), fee_schedule: fee.schedule }
}

const withShield = <T extends object>(fees: T, shield: boolean, bps: number): T =>
  shield ? { ...fees, shield_add_bps: bps } : fees
