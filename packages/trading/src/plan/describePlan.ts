import type { Permit2Domain } from '@pit/chain'
import { withAudit } from '@pit/market'
import { type Answer, CHAIN_ID, usdOf } from '@pit/protocol'
import { disclosuresOf, routeRowOf } from '../quote/index.ts'
import type { PlanStep, PlanTx, TradePlan, TradeQuote } from '../types.ts'
import { isEth } from './addresses.ts'
import { leftAfter } from './approvals.ts'
import { missingJson, missingOf } from './holdings.ts'
import { permitJson } from './permits.ts'
import type { Planned } from './planTrade.ts'
import { passes } from './policy.ts'
import { stuckJson } from './stuck.ts'

export type PlanAnswer = Extract<Answer<'live.build'>, { execution: unknown }>
type TxAnswer = NonNullable<PlanAnswer['tx']>

export function txJson(tx: PlanTx): TxAnswer {
  return {
    type: tx.authorizations ? 4 : 2,
    chain_id: CHAIN_ID,
    from: tx.from,
    to: tx.to,
    value: tx.valueWei.toString(),
    data: tx.data,
    gas: String(tx.gas),
    nonce: tx.nonce,
    max_fee_per_gas: tx.maxFeePerGasWei.toString(),
    max_priority_fee_per_gas: tx.maxPriorityFeePerGasWei.toString(),
    ...(tx.authorizations && {
      authorization_list: tx.authorizations.map(({ address, nonce, yParity, r, s }) => ({
        chain_id: CHAIN_ID,
        address,
        nonce,
        y_parity: yParity,
        r,
        s,
      })),
    }),
  }
}

export const stepJson = <K extends string, D>({
  kind,
  why,
  tx,
  decoded,
}: Pick<PlanStep, 'why' | 'tx'> & { kind: K; decoded: () => D }) => ({
  kind,
  why,
  tx: tx && txJson(tx),
  decoded: decoded(),
})

/** The response for a plan; `steps` may carry gas limits measured by a simulation. */
export function describePlan(
  addresses: Permit2Domain,
  planned: Planned,
  steps = planned.plan.steps,
): PlanAnswer {
  const { plan, request, checks, accepted, timings } = planned
  const { quote, route } = request
  const last = steps[steps.length - 1]?.tx ?? null
  const missing = missingOf(planned, steps)
  return {
    ready: missing.length === 0,
    missing: missing.map(missingJson),
    tx: plan.complete && last ? txJson(last) : null,
    steps: steps.map(stepJson),
    execution: plan.execution,
    route: routeRowOf(route, quote),
    quote: {
      amount_out: route.amountOut.toString(),
      vs_mid_bps: route.vsMidBps,
      gas: route.gas,
      gas_usd: route.gasUsd,
    },
    amount_in: quote.amountIn.toString(),
    notional_usd: quote.notionalMicroUsd === null ? null : usdOf(quote.notionalMicroUsd),
    amount_out_min: plan.amountOutMin.toString(),
    amount_out_expected: plan.amountOutExpected.toString(),
    deadline: plan.deadlineS,
    fee: feeJson(plan),
    checks,
    policy_ok: passes(checks),
    permit: plan.permit && !plan.complete ? permitJson(addresses, plan.permit) : null,
    permit_now: plan.permit && !plan.complete ? plan.permitNowS : null,
    preview: plan.preview && previewJson(plan.preview),
    approval: approvalJson(planned),
    wallet_state: walletJson(planned),
    tokens: tokensOf(quote),
    accepted_risks: accepted,
    ...disclosuresOf(quote),
    timings,
  }
}

const previewJson = ({ to, valueWei, data }: NonNullable<TradePlan['preview']>) => ({
  to,
  value: valueWei.toString(),
  data,
})

function feeJson({ quote: { fee }, feeAmount, feeCommand, execution }: TradePlan): PlanAnswer['fee'] {
  const { bps, side, recipient, token } = fee
  const amount = execution !== 'router' && feeAmount !== null ? { amount: feeAmount.toString() } : {}
  return { bps, side, recipient, token, command: feeCommand, ...amount }
}

function approvalJson({ spending, request: { approval, quote } }: Planned): PlanAnswer['approval'] {
  const { spender, needed, allowance, approve, grant, reason } = spending
  const terms = { mode: approval.mode, budget_usd: approval.budgetUsd, spender, reason }
  if (isEth(quote.tokenIn.address))
    return { ...terms, allowance: null, needed: '0', approve: null, after: null }
  return {
    ...terms,
    allowance: allowance.toString(),
    needed: needed.toString(),
    approve: approve === null ? null : approve.toString(),
    after: leftAfter(spending).toString(),
    permit: grant && { amount: grant.amount.toString(), expiration: grant.expirationS },
  }
}

function walletJson({ request: { wallet: state }, waiting = null }: Planned): PlanAnswer['wallet_state'] {
  const { permit } = state
  return {
    wallet: state.wallet,
    block: state.block,
    nonce: state.nonce,
    mined_nonce: state.minedNonce,
    stuck: stuckJson(state, waiting),
    balance_wei: state.balanceWei.toString(),
    balance_in: state.balanceIn.toString(),
    allowance: state.allowance.toString(),
    permit: { amount: permit.amount.toString(), expiration: permit.expirationS, nonce: permit.nonce },
    curve_allowance: state.curveAllowance.toString(),
    delegated_to: state.delegatedTo,
    has_other_code: state.hasOtherCode,
    stocks: state.stocks,
  }
}

/** Token records by address, with this trade's fee and each token's own verdict. */
export const tokensOf = ({ tokenIn, tokenOut, fee, audits, request }: TokensQuote): PlanAnswer['tokens'] =>
  [tokenIn, tokenOut]
    .filter(({ core }) => core === null)
    .map(({ address, record }) => {
      if (!request.shield) return { ...record, fee_bps: fee.bps, shield: false, shield_available: true }
      const audited = audits.find(({ token }) => token === address)
      const risks = audited ? withAudit(record, audited) : record.risks
      return { ...record, risks, fee_bps: fee.bps, shield: true, audit: audited?.audit ?? null }
    })
type TokensQuote = Pick<TradeQuote, 'tokenIn' | 'tokenOut' | 'fee' | 'audits'> & {
  request: Pick<TradeQuote['request'], 'shield'>
}
