import { type Answer, usdOf } from '@pit/protocol'
import { type Cosigned, toWireDelegation } from '@pit/signer-wire'
import { disclosuresOf, routeRowOf, simulationJson, txJson } from '@pit/trading'
import { riskTermsJson, spendOf } from '../describe.ts'
import type { Planning, RehearsedTrade, SessionTrade } from './types.ts'

/** The response of the session trade route. */
export function describeTrade(trade: SessionTrade): Answer<'live.session.trade'> {
  if (trade.kind === 'named') return trade.answer
  const { session } = trade
  const common = describePlanning(trade)
  if (trade.kind === 'cosigned') {
    const { cosigned, leaf } = trade
    return {
      ...common,
      ready: trade.ready,
      tx: txJson(trade.tx),
      leaf: {
        delegation: toWireDelegation(leaf),
        hash: cosigned.leaf_hash,
        signature: leaf.signature,
        expires: cosigned.expires_at,
        sequence: cosigned.sequence,
      },
      spend: describeSpend(cosigned),
    }
  }
  const why =
    trade.missing.length > 0
      ? `Not co-signed: ${trade.missing.join('; ')}.`
      : 'Not co-signed: `fund: true` only simulates a trade.'
  return {
    ...common,
    ready: false,
    tx: null,
    leaf: null,
    checks: [...common.checks, { code: 'COSIGNED', ok: false, severity: 'info', message: why }],
    spend: { ...spendOf(session, trade.used), this_usd: 0 },
  }
}

/** The same response for a rehearsal: nothing to send, and every rule with its verdict. */
export function describeRehearsal(trade: RehearsedTrade): Answer<'live.session.trade'> {
  const { session, used, rehearsal } = trade
  const common = describePlanning(trade)
  const spend = rehearsal?.spend
  const signerChecks = rehearsal?.checks ?? []
  const isRefused = common.checks.some(({ ok, severity }) => !ok && (severity ?? 'refuse') === 'refuse')
  return {
    ...common,
    check_only: true,
    ok: rehearsal !== null && !isRefused && signerChecks.every(({ ok }) => ok),
    ready: false,
    tx: null,
    leaf: null,
    signer_checks: signerChecks,
    spend: spend
      ? describeSpend({ spend: { ...spend, this_micro_usd: spend.this_micro_usd ?? 0 } })
      : { ...spendOf(session, used), this_usd: 0 },
  }
}

function describePlanning({ session, planned, call, checks, simulation }: Planning) {
  const { plan, request, timings } = planned
  const { quote, route } = request
  return {
    session_id: session.id,
    simulated_ok: simulation.ok,
    executor: session.executor,
    wallet: session.wallet,
    execution: call.kind,
    swap: {
      route: routeRowOf(route, quote),
      amount_in: quote.amountIn.toString(),
      amount_out_min: plan.amountOutMin.toString(),
      amount_out_expected: plan.amountOutExpected.toString(),
      notional_usd: quote.notionalMicroUsd === null ? null : usdOf(quote.notionalMicroUsd),
      deadline: plan.deadlineS,
    },
    simulation: simulationJson(simulation, plan),
    checks: [...checks, ...planned.checks],
    risk_terms: riskTermsJson(session.binding),
    timings,
    ...disclosuresOf(quote),
  }
}

/** The session's spend, as counted by the co-signer. */
export function describeSpend({ spend }: Pick<Cosigned, 'spend'>): Answer<'live.session.trade'>['spend'] {
  return {
    trades: spend.trades,
    trades_left: spend.trades_left,
    last_24h_usd: usdOf(BigInt(spend.day_micro_usd)),
    remaining_24h_usd: usdOf(BigInt(spend.day_left_micro_usd)),
    this_usd: usdOf(BigInt(spend.this_micro_usd)),
  }
}
