import type { Permit2Domain } from '@pit/chain'
import { type Answer, usdOf } from '@pit/protocol'
import {
  describePlan,
  disclosuresOf,
  marksOf,
  missingJson,
  type Planned,
  type Revocation,
  routeRowOf,
  type ShownQuote,
  type Simulated,
  simulationChecks,
  stepJson,
  type TokenApproval,
  type TradeQuote,
} from '@pit/trading'

export function describeQuote({
  quote,
  best,
  policy,
  policyOk,
  atS,
  timings,
}: ShownQuote): Answer<'live.quote'> {
  return {
    token_in: quote.tokenIn.address,
    token_out: quote.tokenOut.address,
    amount_in: quote.amountIn.toString(),
    notional_usd: quote.notionalMicroUsd === null ? null : usdOf(quote.notionalMicroUsd),
    slippage_bps: quote.slippageBps,
    best: best && bestJson(quote, best),
    routes: [...quote.routes, ...quote.failed].map((row) => routeRowOf(row, quote)),
    candidates: quote.candidates,
    mid: quote.mid,
    marks: marksOf(quote, atS),
    gas_price_wei: quote.gasPriceWei.toString(),
    eth_usd: quote.ethUsd,
    policy,
    policy_ok: policyOk,
    timings,
    ...disclosuresOf(quote),
  }
}

function bestJson(quote: TradeQuote, best: NonNullable<ShownQuote['best']>) {
  const quoted = best.quotedAmountOut.toString()
  const row = { ...routeRowOf(best.route, quote), amount_out: quoted, quoted_amount_out: quoted }
  return best.simulated
    ? { ...row, amount_out: best.amountOut.toString(), simulated: true }
    : { ...row, simulated: false, why: best.why }
}

type TradeSimulated = Extract<Answer<'live.simulate'>, { synthetic: boolean }>

export function describeSimulated(
  permit2: Permit2Domain,
  { synthetic, planned, plan, simulation, judgement }: Simulated,
): TradeSimulated {
  const { quote } = plan
  const { gasTotal, feeTransfer, amountOut } = simulation
  const text = (atoms: bigint | null) => (atoms === null ? null : atoms.toString())
  return {
    ok: judgement === null,
    error: judgement && `${judgement.code}: ${judgement.message}`,
    block: simulation.block,
    transactions: simulation.transactions.map(({ kind, ok, gasUsed, error, logs }) => ({
      kind,
      status: ok ? 'ok' : 'reverted',
      gas_used: gasUsed,
      error,
      logs,
    })),
    amount_out: text(amountOut),
    amount_out_min: plan.amountOutMin.toString(),
    fee_paid: judgement ? null : text(plan.feeAmount ?? feeTransfer),
    fee_transfer: text(feeTransfer),
    gas_total: gasTotal,
    gas_usd: gasTotal === null ? null : gasUsd(quote, gasTotal),
    funded_by_overrides: simulation.fundedByOverrides,
    synthetic,
    checks: simulationChecks(simulation, plan),
    build: withoutDisclosures(permit2, planned),
    ...disclosuresOf(quote),
  }
}

const gasUsd = ({ gasPriceWei, ethUsd }: TradeQuote, gas: number): number | null =>
  ethUsd === null ? null : Math.round(gas * (Number(gasPriceWei) / 1e18) * ethUsd * 1e6) / 1e6

/** Disclosures are at the top level only: a second copy could be misread. */
function withoutDisclosures(permit2: Permit2Domain, planned: Planned): TradeSimulated['build'] {
  const disclosed = Object.keys(disclosuresOf(planned.request.quote))
  const plan = describePlan(permit2, planned)
  const rest = Object.entries(plan).filter(([name]) => !disclosed.includes(name))
  return Object.fromEntries(rest) as NonNullable<TradeSimulated['build']>
}

export function describeRevocation(revocation: Revocation): Answer<'live.revoke'> {
  const { steps, before, simulation, ready, missing } = revocation
  const nothing = steps.length === 0
  const sign = 'Sign and send the steps in order. An unused signed permit stays valid until its own deadline.'
  const read = 'The simulation does not revoke everything: check `simulation.after` before sending.'
  return {
    steps: steps.map(stepJson),
    before: approvalsJson(before),
    simulation: { ok: simulation.ok, after: approvalsJson(simulation.after) },
    ready,
    missing: missing.map(missingJson),
    nothing_to_revoke: nothing,
    note: nothing ? 'There are no approvals to revoke.' : simulation.ok ? sign : read,
  }
}

const approvalsJson = (approvals: readonly TokenApproval[]): Answer<'live.revoke'>['before'] =>
  Object.fromEntries(
    approvals.map(({ token, symbol, spender, allowance, permit, permitSpender, permitIsLive }) => [
      token,
      {
        symbol,
        spender,
        allowance: allowance.toString(),
        permit: permit && {
          spender: permitSpender,
          amount: permit.amount.toString(),
          expiration: permit.expirationS,
          live: permitIsLive,
        },
      },
    ]),
  )
