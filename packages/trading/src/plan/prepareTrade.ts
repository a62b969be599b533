import { isPitError, type PitError } from '@pit/protocol'
import type { PlanSimulation, PlanStep, TradeQuote } from '../types.ts'
import type { PlanDeps } from './deps.ts'
import { permitRequestOf } from './pendingPermits.ts'
import { type PlanRequest, readTerms } from './planRequest.ts'
import { ms, type Planned, type PlanParams, type PlanTrade } from './planTrade.ts'
import {
  refuseSimulated,
  type SimulateTerms,
  type Trial,
  tryAhead,
  tryPlanned,
  withParentGas,
  withUsedGas,
} from './trySimulation.ts'

export type PrepareDeps = PlanDeps & { planTrade: PlanTrade }

export interface Prepared {
  planned: Planned
  /** With the gas limits measured by the simulation. */
  steps: PlanStep[]
  /** Null while the plan waits for a signature. */
  simulation: PlanSimulation | null
}

/** The plan, and a simulation of exactly its transactions. */
export function prepareTrade(
  deps: PrepareDeps,
  params: PlanRequest & Pick<SimulateTerms, 'fund'>,
): Promise<Prepared> {
  return recordingRefusals(deps, params, async (onQuote) => {
    const terms: SimulateTerms = { fund: params.fund, approvals: 'as planned' }
    let trial: Trial | undefined
    const planned = await planForWallet(deps, params, {
      onQuote,
      onGuess(guess) {
        if (guess.plan.complete) trial = tryAhead(deps.simulator, guess, terms)
      },
    })
    const { plan } = planned
    if (!plan.complete) {
      await store(deps, params, planned)
      return { planned, steps: plan.steps, simulation: null }
    }
    const plannedAt = performance.now()
    const [{ simulation, judgement }, parentGas] = await Promise.all([
      tryPlanned(deps.simulator, planned, terms, trial),
      deps.parentGas(plan.steps),
      store(deps, params, planned),
    ])
    planned.timings['simulate'] = ms(performance.now() - plannedAt)
    if (judgement) refuseSimulated(judgement, simulation, plan)
    return { planned, steps: withUsedGas(plan.steps, simulation, parentGas), simulation }
  })
}

/** The same without its simulation. */
export function buildTrade(deps: PrepareDeps, params: PlanRequest): Promise<Planned> {
  return recordingRefusals(deps, params, async (onQuote) => {
    const planned = await planForWallet(deps, params, { onQuote })
    const [parentGas] = await Promise.all([deps.parentGas(planned.plan.steps), store(deps, params, planned)])
    return { ...planned, plan: { ...planned.plan, steps: withParentGas(planned.plan.steps, parentGas) } }
  })
}

/** Plans for the key's own wallet; the second call of a round trip reuses the first one's atoms. */
export async function planForWallet(
  deps: PrepareDeps,
  params: PlanRequest,
  listeners: Pick<PlanParams, 'onQuote' | 'onGuess'> = {},
): Promise<Planned> {
  const { trade } = params
  const { wallet: address } = params.by
  const terms = readTerms(deps, params, 'real')
  const { permit, approval } = terms
  const request = permit.kind === 'signed' ? permitRequestOf(address, trade, approval, permit.nowS) : null
  const pending = request ? await deps.permits.recall(request) : undefined
  const { notionalUsd, ...sized } = trade
  const planning = deps.planTrade({
    trade: pending ? { ...sized, amountIn: pending.amountIn } : trade,
    terms: pending
      ? { ...terms, granted: pending.granted, ...(notionalUsd !== undefined && { notionalUsd }) }
      : terms,
    wallet: { kind: 'real', address },
    ...listeners,
  })
  const [planned, waiting] = await Promise.all([planning, deps.readWaiting(address)])
  return { ...planned, waiting }
}

/** Only stored plans are relayed. A plan that waits for a signature stores the approvals before it. */
async function store(deps: PrepareDeps, { by }: PlanRequest, planned: Planned): Promise<void> {
  const { plan, request: params } = planned
  const hasTx = plan.steps.some(({ tx }) => tx !== null)
  await Promise.all([
    hasTx && deps.storePlan({ keyId: by.keyId, wallet: params.wallet.wallet, path: 'agent', plan }),
    storePendingPermit(deps, planned),
  ])
}

/** Stores the atoms of a permit that waits for its signature, so that the second call builds the same one. */
export async function storePendingPermit(
  { permits }: Pick<PrepareDeps, 'permits'>,
  { plan, request: params }: Planned,
): Promise<void> {
  if (!plan.permit || plan.permitNowS === null || plan.complete) return
  const { quote, wallet, approval } = params
  const request = permitRequestOf(wallet.wallet, quote.request, approval, plan.permitNowS)
  if (!request) return
  await permits.remember(request, { amountIn: quote.amountIn, granted: plan.permit.details.amount })
}

/** Codes about the request itself, or about an address that is not a token. */
const UNRECORDED: ReadonlySet<string> = new Set(['TOKEN_UNKNOWN', 'TOKEN_NOT_ALLOWED', 'SAME_TOKEN'])

/** Records refused trades for the wallet's call list; malformed or rate-limited requests are not recorded. */
async function recordingRefusals<T>(
  { recordRefusal }: PrepareDeps,
  { by, trade }: PlanRequest,
  run: (onQuote: (quote: TradeQuote) => void) => Promise<T>,
): Promise<T> {
  let quote: TradeQuote | undefined
  try {
    return await run((priced) => {
      quote = priced
    })
  } catch (error) {
    if (isPitError(error) && isTradeRefusal(error)) {
      recordRefusal({
        ...by,
        path: 'agent',
        code: error.code,
        tokenIn: trade.tokenIn,
        tokenOut: trade.tokenOut,
        amountIn: quote?.amountIn ?? trade.amountIn ?? null,
      })
    }
    throw error
  }
}

const isTradeRefusal = ({ status, code }: PitError): boolean =>
  (status === 409 || status === 422) && !UNRECORDED.has(code)
