import type { Address, Hex } from '@pit/chain'
import type { PlanSimulation, PricedRoute, TradePlan, TradeQuote, WalletState } from '../types.ts'
import { MAX_UINT160, MAX_UINT256 } from './approvals.ts'
import { buildPlan } from './buildPlan.ts'
import type { BuildableRoute } from './chooseRoute.ts'
import type { PlanDeps } from './deps.ts'
import type { Judgement } from './judgeSimulation.ts'
import { type PlanRequest, readTerms } from './planRequest.ts'
import type { Planned } from './planTrade.ts'
import { type PrepareDeps, planForWallet, storePendingPermit } from './prepareTrade.ts'
import { type BuildRequest, type Spending, spendingOf } from './spending.ts'
import { type SimulateTerms, simulatePlanned, tryPlanned } from './trySimulation.ts'

/** Null: from the synthetic wallet, with lent funds. */
export interface SimulateRequest extends Omit<PlanRequest, 'by'> {
  by: PlanRequest['by'] | null
  fund: SimulateTerms['fund']
  /** Later: a wallet that has approved everything; first: one that has approved nothing. */
  model: 'first' | 'later'
}

export interface Simulated {
  /** From the synthetic wallet. */
  synthetic: boolean
  /** The plan for the response. */
  planned: Planned
  /** The plan that was run: complete even if `planned` still waits for a signature. */
  plan: TradePlan
  simulation: PlanSimulation
  /** The simulation's objection. Here a plan that reverts is a result, not a refusal. */
  judgement: Judgement | null
}

/** Simulates a trade from the wallet or from the synthetic one. */
export async function simulateTrade(deps: PrepareDeps, request: SimulateRequest): Promise<Simulated> {
  const { by, trade, model } = request
  if (by !== null) {
    const planned = await planForWallet(deps, { ...request, by })
    const tried = asSent(deps, planned, request)
    const [outcome] = await Promise.all([
      tryPlanned(deps.simulator, tried.planned, tried.terms),
      // The response contains the permit, so it may be signed.
      storePendingPermit(deps, planned),
    ])
    return { synthetic: false, planned, plan: tried.planned.plan, ...outcome }
  }
  const terms = readTerms(deps, request, 'synthetic')
  const { synthetic } = deps.simulator
  const planned = await deps.planTrade({
    trade,
    terms: { ...terms, permit: { kind: 'own key', sign: synthetic.signPermit } },
    wallet: { kind: 'pretended', stateOf: (quote) => pretended(synthetic.wallet, quote, model) },
  })
  const approvals = model === 'later' ? 'in place' : 'as planned'
  const outcome = await tryPlanned(deps.simulator, feeLast(planned), { fund: true, approvals })
  return { synthetic: true, planned, plan: planned.plan, ...outcome }
}

/** Simulates a quote's route with the exact calls of a plan, from the synthetic wallet with lent funds. */
export async function simulateRoute(
  deps: PlanDeps,
  quote: TradeQuote,
  route: PricedRoute,
): Promise<PlanSimulation> {
  const { synthetic } = deps.simulator
  const request: BuildRequest = {
    quote,
    route: route as BuildableRoute,
    wallet: pretended(synthetic.wallet, quote, 'later'),
    approval: { mode: 'exact', budgetUsd: 0, permitMode: 'signature', permitScope: 'trade' },
    permit: { kind: 'own key', sign: synthetic.signPermit },
    curveFeeMode: 'two_step',
    nowS: Math.max(Math.floor(deps.clock.nowMs() / 1000), quote.blockTimeS),
  }
  const planned = rebuilt(deps, { checks: [], accepted: [], feeBalance: null, timings: {} }, request)
  return simulatePlanned(deps.simulator, feeLast(planned), { fund: true, approvals: 'in place' })
}

/** State of a fictitious wallet with everything or nothing approved. */
function pretended(wallet: Address, quote: TradeQuote, model: SimulateRequest['model']): WalletState {
  const isLater = model === 'later'
  return {
    wallet,
    block: quote.block,
    nonce: 0,
    minedNonce: 0,
    balanceWei: 0n,
    balanceIn: 0n,
    ...(isLater ? ALL_APPROVED : NOTHING_APPROVED),
    permit: isLater ? ENDLESS : NO_PERMIT,
    delegatedTo: null,
    hasOtherCode: false,
    stocks: [],
    blockedParties: [],
  }
}
const ALL_APPROVED = { allowance: MAX_UINT256, curveAllowance: MAX_UINT256 }
const NOTHING_APPROVED = { allowance: 0n, curveAllowance: 0n }
const NO_PERMIT: WalletState['permit'] = { amount: 0n, expirationS: 0, nonce: 0 }
/** The latest expiration that a response can name. */
const ENDLESS: WalletState['permit'] = { amount: MAX_UINT160, expirationS: 9_999_999_999, nonce: 0 }

/** A placeholder that the simulation accepts as the wallet's signature. */
const ANY_SIGNATURE: Hex = `0x${'11'.repeat(64)}1b`

/** The plan in its runnable form. First: as if nothing were approved. Later: as if everything were. */
function asSent(
  deps: PrepareDeps,
  planned: Planned,
  { model, fund }: SimulateRequest,
): { planned: Planned; terms: SimulateTerms } {
  const { request } = planned
  const { nonce } = request.wallet.permit
  if (model === 'first') {
    const isSigned = request.permit.kind === 'signed'
    const fresh = rebuilt(
      deps,
      { ...planned, spending: { resetsFirst: false } },
      {
        ...request,
        wallet: { ...request.wallet, ...NOTHING_APPROVED, permit: { ...NO_PERMIT, nonce } },
        permit: isSigned ? request.permit : { kind: 'own key', sign: () => ANY_SIGNATURE },
      },
    )
    const permitSigner = fresh.plan.permit && !isSigned ? 'anybody' : 'wallet'
    return { planned: fresh, terms: { fund, approvals: 'taken back', permitSigner } }
  }
  const approves = planned.plan.steps.some(({ kind }) => kind === 'approve')
  if (planned.plan.complete && !approves) return { planned, terms: { fund, approvals: 'as planned' } }
  const permit = request.permit.kind === 'signed' ? request.wallet.permit : { ...ENDLESS, nonce }
  const wallet = { ...request.wallet, ...ALL_APPROVED, permit }
  return { planned: rebuilt(deps, planned, { ...request, wallet }), terms: { fund, approvals: 'in place' } }
}

function rebuilt(
  deps: PlanDeps,
  planned: Omit<Planned, 'plan' | 'request' | 'spending'> & { spending?: Pick<Spending, 'resetsFirst'> },
  request: BuildRequest,
): Planned {
  const addresses = deps.addresses()
  const spending = { ...spendingOf(addresses, request), resetsFirst: planned.spending?.resetsFirst ?? false }
  const plan = buildPlan({ crypto: deps.crypto, addresses }, request, spending)
  return { ...planned, plan, request, spending }
}

/** The synthetic wallet has nothing to pay a sale's fee from before the sale; a batch pays it afterwards too. */
function feeLast(planned: Planned): Planned {
  const { plan } = planned
  if (plan.execution !== 'curve' || plan.quote.fee.side === 'input') return planned
  const isFee = ({ kind }: { kind: string }) => kind === 'fee_transfer'
  const steps = [...plan.steps.filter((step) => !isFee(step)), ...plan.steps.filter(isFee)]
  return { ...planned, plan: { ...plan, steps } }
}
