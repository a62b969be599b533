import type { Address } from '@pit/chain'
import type { Call } from '@pit/platform/call'
import type { Answer } from '@pit/protocol'
import { disclosuresOf } from '../quote/index.ts'
import type { PlanSimulation, PricedRoute, TradeQuote, WalletState } from '../types.ts'
import { MAX_UINT160, MAX_UINT256 } from './approvals.ts'
import { buildPlan } from './buildPlan.ts'
import type { BuildableRoute } from './chooseRoute.ts'
import type { PlanDeps } from './deps.ts'
import { describePlan } from './describePlan.ts'
import type { Planned } from './planTrade.ts'
import { keepAskedPermit, type PrepareDeps, planForWallet } from './prepareTrade.ts'
import { readTrade, type SimulateBody } from './readRequest.ts'
import { type BuildAsk, type Spending, spendingOf } from './spending.ts'
import { judgeSimulation, type SimulateTerms, simulatePlanned } from './trySimulation.ts'

type SimulateAnswer = Answer<'live.simulate'>

/** live/simulate: how a trade would go, from the wallet or from one of our own. */
export async function simulateTrade(
  deps: PrepareDeps,
  { body, caller }: Call<'live.simulate'>,
): Promise<SimulateAnswer> {
  const { wallet } = body
  if (wallet !== undefined) {
    const planned = await planForWallet(deps, { body: { ...body, wallet }, caller })
    const tried = asSent(deps, planned, body)
    const [simulation] = await Promise.all([
      simulatePlanned(deps.simulator, tried.planned, tried.terms),
      // Its permit is shown too, and may be the one that is signed.
      keepAskedPermit(deps, planned),
    ])
    return answerOf(deps, planned, tried.planned, simulation)
  }
  const { trade, terms } = readTrade(deps, body, {
    caller,
    feeWallet: caller.key?.wallet ?? null,
    synthetic: true,
  })
  const { synthetic } = deps.simulator
  const planned = await deps.planTrade({
    trade,
    terms: { ...terms, permit: { kind: 'own key', sign: synthetic.signPermit } },
    wallet: { kind: 'pretended', stateOf: (quote) => pretended(synthetic.wallet, quote, body.model) },
  })
  const approvals = body.model === 'later' ? 'in place' : 'as planned'
  const simulation = await simulatePlanned(deps.simulator, feeLast(planned), { fund: true, approvals })
  return { ...answerOf(deps, planned, planned, simulation), synthetic: true }
}

/** The best route of a quote in exactly the calls a plan would have, from a wallet of our own on lent funds. */
export async function simulateRoute(
  deps: PlanDeps,
  quote: TradeQuote,
  route: PricedRoute,
): Promise<PlanSimulation> {
  const { synthetic } = deps.simulator
  const ask: BuildAsk = {
    quote,
    route: route as BuildableRoute,
    wallet: pretended(synthetic.wallet, quote, 'later'),
    approval: { mode: 'exact', budgetUsd: 0, permitMode: 'signature', permitScope: 'trade' },
    permit: { kind: 'own key', sign: synthetic.signPermit },
    curveFeeMode: 'two_step',
    nowS: Math.max(Math.floor(deps.clock.nowMs() / 1000), quote.blockTimeS),
  }
  const planned = rebuilt(deps, { checks: [], accepted: [], feeBalance: null, timings: {} }, ask)
  return simulatePlanned(deps.simulator, feeLast(planned), { fund: true, approvals: 'in place' })
}

/** A wallet that never was: with everything approved, or with nothing. */
function pretended(wallet: Address, quote: TradeQuote, model: SimulateBody['model']): WalletState {
  const isLater = model === 'later'
  return {
    wallet,
    block: quote.block,
    nonce: 0,
    balanceWei: 0n,
    balanceIn: 0n,
    allowance: isLater ? MAX_UINT256 : 0n,
    permit: isLater ? ENDLESS : { amount: 0n, expirationS: 0, nonce: 0 },
    curveAllowance: isLater ? MAX_UINT256 : 0n,
    delegatedTo: null,
    hasOtherCode: false,
    stocks: [],
  }
}
const ENDLESS: WalletState['permit'] = { amount: MAX_UINT160, expirationS: 2 ** 48 - 1, nonce: 0 }

/**
 * A plan that lacks only its permit's signature, in a form that can be run: with the router's allowance in place, or
 * (model first) granted by a transaction.
 */
function asSent(
  deps: PrepareDeps,
  planned: Planned,
  { model, fund }: SimulateBody,
): { planned: Planned; terms: SimulateTerms } {
  if (planned.plan.complete) return { planned, terms: { fund, approvals: 'as planned' } }
  const { ask } = planned
  if (model === 'first') {
    const byTransaction: BuildAsk = { ...ask, approval: { ...ask.approval, permitMode: 'transaction' } }
    return { planned: rebuilt(deps, planned, byTransaction), terms: { fund, approvals: 'as planned' } }
  }
  const wallet = {
    ...ask.wallet,
    allowance: MAX_UINT256,
    permit: { ...ENDLESS, nonce: ask.wallet.permit.nonce },
  }
  return { planned: rebuilt(deps, planned, { ...ask, wallet }), terms: { fund, approvals: 'in place' } }
}

function rebuilt(
  deps: PlanDeps,
  planned: Omit<Planned, 'plan' | 'ask' | 'spending'> & { spending?: Spending },
  ask: BuildAsk,
): Planned {
  const place = deps.place()
  const spending = { ...spendingOf(place, ask), resetsFirst: planned.spending?.resetsFirst ?? false }
  const plan = buildPlan({ crypto: deps.crypto, place }, ask, spending)
  return { ...planned, plan, ask, spending }
}

/** Our own wallet holds nothing to pay a sale's fee from before the sale; a batch would pay it after, too. */
function feeLast(planned: Planned): Planned {
  const { plan } = planned
  if (plan.execution !== 'curve' || plan.quote.fee.side === 'input') return planned
  const isFee = ({ kind }: { kind: string }) => kind === 'fee_transfer'
  const steps = [...plan.steps.filter((step) => !isFee(step)), ...plan.steps.filter(isFee)]
  return { ...planned, plan: { ...plan, steps } }
}

/** A plan that reverts is an answer here, not a refusal. */
function answerOf(
  deps: PrepareDeps,
  shown: Planned,
  { plan }: Planned,
  simulation: PlanSimulation,
): SimulateAnswer {
  const { quote } = plan
  const judgement = judgeSimulation(simulation, plan)
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
    synthetic: false,
    build: withoutDisclosures(deps, shown),
    ...disclosuresOf(quote),
  }
}

const gasUsd = ({ gasPriceWei, ethUsd }: TradeQuote, gas: number): number | null =>
  ethUsd === null ? null : Math.round(gas * (Number(gasPriceWei) / 1e18) * ethUsd * 1e6) / 1e6

/** Disclosures are read at the top level; twice they could be read wrongly once. */
function withoutDisclosures(deps: PrepareDeps, planned: Planned): Record<string, unknown> {
  const disclosed = Object.keys(disclosuresOf(planned.ask.quote))
  const plan = describePlan(deps.place(), planned)
  return Object.fromEntries(Object.entries(plan).filter(([name]) => !disclosed.includes(name)))
}
