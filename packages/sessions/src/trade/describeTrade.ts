import type { Delegation } from '@pit/chain'
import { type Cosigned, toWireDelegation } from '@pit/platform/signerCalls'
import type { Answer } from '@pit/protocol'
import {
  disclosuresOf,
  type Planned,
  type PlanSimulation,
  type PlanTx,
  routeRowOf,
  simulationJson,
  txJson,
  usdOf,
} from '@pit/trading'
import { riskTermsJson } from '../grant/describeGrant.ts'
import type { Session, Used } from '../types.ts'
import type { SessionCall } from './readCall.ts'
import type { Check } from './rules.ts'

export type TradeAnswer = Answer<'live.session.trade'>

interface Planning {
  session: Session
  planned: Planned
  call: SessionCall
  checks: readonly Check[]
  simulation: PlanSimulation
}

/** A co-signed trade. */
export function describeTrade(
  trade: Planning & { answer: Cosigned; leaf: Delegation; tx: PlanTx; ready: boolean },
): TradeAnswer {
  const { answer, leaf } = trade
  const { trades, trades_left, day_micro_usd, day_left_micro_usd, this_micro_usd } = answer.spend
  return {
    ...common(trade),
    ready: trade.ready,
    tx: txJson(trade.tx),
    leaf: {
      delegation: toWireDelegation(leaf),
      hash: answer.leaf_hash,
      signature: leaf.signature,
      expires: answer.expires_at,
      sequence: answer.sequence,
    },
    spend: {
      trades,
      trades_left,
      last_24h_usd: day_micro_usd / 1e6,
      remaining_24h_usd: day_left_micro_usd / 1e6,
      this_usd: this_micro_usd / 1e6,
    },
  }
}

/** One that was only tried out: nothing is co-signed and nothing counts. */
export function describeDryTrade(trade: Planning & { used: Used; missing: readonly string[] }): TradeAnswer {
  const answer = common(trade)
  const why =
    trade.missing.length > 0
      ? `Not co-signed: ${trade.missing.join('; ')}.`
      : 'Not co-signed: `fund` true only tries a trade out.'
  return {
    ...answer,
    ready: false,
    tx: null,
    leaf: null,
    checks: [...answer.checks, { code: 'COSIGNED', ok: false, severity: 'info', message: why }],
    spend: { ...spendOf(trade.session, trade.used), this_usd: 0 },
  }
}

export function spendOf({ binding: { limits } }: Pick<Session, 'binding'>, { trades, dayMicroUsd }: Used) {
  const left = BigInt(limits.max_day_micro_usd) - dayMicroUsd
  return {
    trades,
    trades_left: Math.max(0, limits.max_trades - trades),
    last_24h_usd: usdOf(dayMicroUsd),
    remaining_24h_usd: usdOf(left > 0n ? left : 0n),
  }
}

function common({ session, planned, call, checks, simulation }: Planning) {
  const { plan, ask, timings } = planned
  const { quote, route } = ask
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
