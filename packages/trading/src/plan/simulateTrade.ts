import type { Address } from '@pit/chain'
import type { PlanSimulation, PricedRoute, TradePlan, TradeQuote, WalletState } from '../types.ts'
import { MAX_UINT160, MAX_UINT256 } from './approvals.ts'
import { buildPlan } from './buildPlan.ts'
import type { BuildableRoute } from './chooseRoute.ts'
import type { PlanDeps } from './deps.ts'
import { type PlanRequest, readTerms } from './planRequest.ts'
import type { Planned } from './planTrade.ts'
import { keepAskedPermit, type PrepareDeps, planForWallet } from './prepareTrade.ts'
import { type BuildAsk, type Spending, spendingOf } from './spending.ts'
import { type Judgement, judgeSimulation, type SimulateTerms, simulatePlanned } from './trySimulation.ts'

/** Null: from a wallet of our own, with lent funds. */
export interface SimulateRequest extends Omit<PlanRequest, 'by'> {
  by: PlanRequest['by'] | null
  fund: SimulateTerms['fund']
  /** Later: as a wallet that has approved everything; first: one that has approved nothing. */
  model: 'first' | 'later'
}

export interface Simulated {
  /** From a wallet of our own. */
  synthetic: boolean
  /** The plan as it would be answered. */
  planned: Planned
  /** The plan that was run: complete, where the other still waits for a signature. */
  plan: TradePlan
  simulation: PlanSimulation
  /** What the simulation says against it. A plan that reverts is an answer here, not a refusal. */
  judgement: Judgement | null
}

/** How a trade would go, from the wallet or from one of our own. */
export async function simulateTrade(deps: PrepareDeps, ask: SimulateRequest): Promise<Simulated> {
  const { by, trade, model } = ask
  if (by !== null) {
    const planned = await planForWallet(deps, { ...ask, by })
    const tried = asSent(deps, planned, ask)
    const [simulation] = await Promise.all([
      simulatePlanned(deps.simulator, tried.planned, tried.terms),
      // Its permit is shown too, and may be the one that is signed.
      keepAskedPermit(deps, planned),
    ])
    const { plan } = tried.planned
    const judgement = judgeSimulation(simulation, plan)
    return { synthetic: false, planned, plan, simulation, judgement }
  }
  const terms = readTerms(deps, ask, 'synthetic')
  const { synthetic } = deps.simulator
  const planned = await deps.planTrade({
    trade,
    terms: { ...terms, permit: { kind: 'own key', sign: synthetic.signPermit } },
    wallet: { kind: 'pretended', stateOf: (quote) => pretended(synthetic.wallet, quote, model) },
  })
  const approvals = model === 'later' ? 'in place' : 'as planned'
  const simulation = await simulatePlanned(deps.simulator, feeLast(planned), { fund: true, approvals })
  const { plan } = planned
  return { synthetic: true, planned, plan, simulation, judgement: judgeSimulation(simulation, plan) }
}

/** Simulates a quote's route with exactly a plan's calls, from a wallet of our own with lent funds. */
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
function pretended(wallet: Address, quote: TradeQuote, model: SimulateRequest['model']): WalletState {
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
 * A plan that lacks only its permit's signature, in a form that can be run: with the router's allowance in
 * place, or (model first) granted by a transaction.
 */
function asSent(
  deps: PrepareDeps,
  planned: Planned,
  { model, fund }: SimulateRequest,
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
  const addresses = deps.addresses()
  const spending = { ...spendingOf(addresses, ask), resetsFirst: planned.spending?.resetsFirst ?? false }
  const plan = buildPlan({ crypto: deps.crypto, addresses }, ask, spending)
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
