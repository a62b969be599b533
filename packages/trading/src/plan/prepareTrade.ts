import { isPitError, type PitError } from '@pit/protocol'
import type { PlanSimulation, PlanStep, TradeQuote } from '../types.ts'
import { permitRequestOf } from './askedPermits.ts'
import type { PlanDeps } from './deps.ts'
import { type PlanRequest, readTerms } from './planRequest.ts'
import { ms, type Planned, type PlanParams, type PlanTrade } from './planTrade.ts'
import { readWaiting } from './stuck.ts'
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
  /** With the gas limits that the simulation measured. */
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

/** Plans for the key's own wallet, with the atoms of an earlier call where this is the second one. */
export async function planForWallet(
  deps: PrepareDeps,
  params: PlanRequest,
  heard: Pick<PlanParams, 'onQuote' | 'onGuess'> = {},
): Promise<Planned> {
  const { trade } = params
  const { wallet: address } = params.by
  const terms = readTerms(deps, params, 'real')
  const { permit, approval } = terms
  const request = permit.kind === 'signed' ? permitRequestOf(address, trade, approval, permit.nowS) : null
  const asked = request ? await deps.permits.recall(request) : undefined
  const { notionalUsd, ...sized } = trade
  const planning = deps.planTrade({
    trade: asked ? { ...sized, amountIn: asked.amountIn } : trade,
    terms: asked
      ? { ...terms, granted: asked.granted, ...(notionalUsd !== undefined && { notionalUsd }) }
      : terms,
    wallet: { kind: 'real', address },
    ...heard,
  })
  const [planned, waiting] = await Promise.all([planning, readWaiting(deps, address)])
  return { ...planned, waiting }
}

/** What is not stored is not relayed. A plan that waits for a signature stores the approvals before it. */
async function store(deps: PrepareDeps, { by }: PlanRequest, planned: Planned): Promise<void> {
  const { plan, request: params } = planned
  const hasTx = plan.steps.some(({ tx }) => tx !== null)
  await Promise.all([
    hasTx && deps.storePlan({ keyId: by.keyId, wallet: params.wallet.wallet, path: 'agent', plan }),
    keepAskedPermit(deps, planned),
  ])
}

/** Keeps the atoms of a permit that waits for its signature, so that the second call makes the same one. */
export async function keepAskedPermit(
  { permits }: Pick<PrepareDeps, 'permits'>,
  { plan, request: params }: Planned,
): Promise<void> {
  if (!plan.permit || plan.permitNowS === null || plan.complete) return
  const { quote, wallet, approval } = params
  const request = permitRequestOf(wallet.wallet, quote.request, approval, plan.permitNowS)
  if (!request) return
  await permits.remember(request, { amountIn: quote.amountIn, granted: plan.permit.details.amount })
}

/** These are about the request's own words, or about a token that is none. */
const UNRECORDED: ReadonlySet<string> = new Set(['TOKEN_UNKNOWN', 'TOKEN_NOT_ALLOWED', 'SAME_TOKEN'])

/** A trade that was refused is shown among the wallet's calls; a malformed or hurried request is not. */
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
