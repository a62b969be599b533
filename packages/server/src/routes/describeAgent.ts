import type { AgentDetail, AgentLimits, AgentTerms, Refund, ShownAgent, StandingAgent } from '@pit/agents'
import { policiesOf } from '@pit/agents'
import { type Answer, boundRiskTerms, FEE, type SessionBinding, type schemas, usdOf } from '@pit/protocol'
import { dollarPoint } from './historyPoints.ts'

type Entry = Answer<'hosted.list'>['agents'][number]
type Terms = Entry['terms']

/** An agent in a list. */
export function describeAgent(shown: ShownAgent): Entry {
  const { agent, session } = shown
  return {
    id: agent.id,
    name: agent.name,
    ...brainOf(agent),
    interval_s: agent.intervalS,
    pairs: [...agent.pairs],
    limits: limitsJson(agent.limits),
    mode: agent.mode,
    live: agent.live,
    status: agent.status,
    pause_reason: agent.status === 'paused' ? agent.pauseReason : null,
    trading: shown.trading,
    session_id: agent.sessionId,
    executor: agent.executor,
    terms: termsJson(agent.terms),
    session_terms: session && sessionTermsJson(session.binding),
    tokens: agent.tokens.map((token) => ({ ...token })),
    pnl: shown.pnl,
    live_stats: shown.liveStats,
    last_decision: agent.lastDecision,
    watch: watchOf(shown),
  }
}

/** Its params were validated by its brain's schema when they were set. */
const brainOf = ({ brain, params }: ShownAgent['agent']) => ({ brain, params }) as schemas.BrainForm

export const limitsJson = (limits: AgentLimits) => ({
  max_trade_usd: usdOf(limits.maxTradeMicroUsd),
  max_day_usd: usdOf(limits.maxDayMicroUsd),
  max_position_usd: usdOf(limits.maxPositionMicroUsd),
})

/** One agent in full. */
export function describeDetail(detail: AgentDetail): Answer<'hosted.get'> {
  const { agent, session, live } = detail
  const shown = describeAgent(detail)
  return {
    ...shown,
    ...(shown.pnl && detail.history && { pnl: { ...shown.pnl, history: detail.history.map(dollarPoint) } }),
    brain_state: agent.brainState,
    last_trade: agent.lastTrade,
    next_tick_holds: detail.nextHolds?.map((hold) => ({ ...hold })) ?? null,
    orders: detail.orders,
    ...(live && {
      session_root_hash: session?.rootHash ?? null,
      session_expires: session?.expiresAtS ?? null,
      stock_attestation: live.stock && {
        session_id: live.stock.sessionId,
        issued: live.stock.issuedS,
        expires: live.stock.expiresS,
        signed_at: live.stock.signedAtS,
        valid: live.stock.whyNot === null,
        why_not: live.stock.whyNot,
      },
      stock_attestation_not_before: live.stockNotBeforeS,
      stock_tokens: agent.tokens.flatMap(({ stock, token }) => (stock ? [token] : [])),
      gas_refund: live.lastRefund && describeRefund(live.lastRefund, { already: true }),
      executor_attestation: agent.executorAttestation && { ...agent.executorAttestation },
    }),
  }
}

/** An agent in its wallet's list of sessions. */
export const describeStanding = ({
  agent,
  trading,
}: StandingAgent): Answer<'me.sessions'>['hosted'][number] => ({
  id: agent.id,
  name: agent.name,
  status: agent.status,
  strategy: agent.brain,
  mode: agent.mode,
  live: agent.live,
  trading,
  pairs: [...agent.pairs],
  session_id: agent.sessionId,
  pause_reason: agent.status === 'paused' ? agent.pauseReason : null,
})

export const describeRefund = (
  refund: Refund,
  { already }: { already: boolean },
): Answer<'hosted.refund_gas'> => ({
  id: refund.agentId,
  executor: refund.executor,
  to: refund.to,
  value_wei: refund.valueWei.toString(),
  balance_wei: refund.balanceWei.toString(),
  tx_hash: refund.txHash,
  raw: refund.raw,
  nonce: refund.nonce,
  gas: refund.gas,
  max_fee_per_gas: refund.maxFeePerGasWei.toString(),
  max_cost_wei: (BigInt(refund.gas) * refund.maxFeePerGasWei).toString(),
  status: refund.status,
  block: refund.block,
  already,
  relay_error: refund.relayError,
  closed: true,
})

const SOON_S = 3_600

/** Next tick, current blockers and upcoming ones. */
function watchOf({ agent, session, holds, nowS }: ShownAgent): Entry['watch'] {
  if (agent.status === 'stopped') return null
  const left = session?.status === 'active' ? session.expiresAtS - nowS : null
  return {
    next_tick_at: agent.nextTickMs === null ? null : Math.floor(agent.nextTickMs / 1_000),
    ticks: agent.tick,
    holds: [...holds],
    soon:
      left !== null && left < SOON_S
        ? [
            {
              code: 'SESSION_ENDS',
              message: `Its session expires in ${left} seconds.`,
              at: session!.expiresAtS,
            },
          ]
        : [],
  }
}

const FEES = {
  major_max_bps: FEE.majorMaxBps,
  major_min_bps: FEE.majorMinBps,
  other_bps: FEE.otherBps,
}

/** The agent's own rates. Shield adds `shield_add_bps` to each. */
function termsJson(terms: AgentTerms): Terms {
  return {
    accept_risks: [...terms.acceptRisks],
    shield: terms.shield,
    policies: [...policiesOf(terms)],
    fees: withShield(FEES, terms.shield, FEE.shieldAddBps),
    fee_schedule: FEE.schedule,
  }
}

/** The session's rates, as its owner signed them. */
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
