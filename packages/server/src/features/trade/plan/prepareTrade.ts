import type { Address } from '@pit/chain'
import { type Answer, isPitError, type PitError } from '@pit/protocol'
import type { Caller } from '../../../http/types.ts'
import type { TradeQuote } from '../types.ts'
import type { PlanDeps } from './deps.ts'
import { describePlan, type PlanAnswer } from './describePlan.ts'
import type { PermitPlace } from './permitMemory.ts'
import { ms, type Planned, type PlanTrade } from './planTrade.ts'
import { readTrade, type SimulateBody, type TradeBody, walletOf } from './readRequest.ts'
import { refuseSimulation, simulatePlanned, simulationJson, withUsedGas } from './trySimulation.ts'

interface Ask<B extends TradeBody | SimulateBody = TradeBody> {
  body: B
  caller: Caller
}
type PrepareAnswer = Extract<Answer<'live.prepare'>, { execution: unknown }>
export type PrepareDeps = PlanDeps & { planTrade: PlanTrade }

/** live/prepare: the plan, and a simulation of exactly its transactions. */
export function prepareTrade(deps: PrepareDeps, ask: Ask): Promise<PrepareAnswer> {
  return recordingRefusals(deps, ask, async (onQuote) => {
    const planned = await planForWallet(deps, ask, onQuote)
    const { plan } = planned
    if (!plan.complete) {
      await store(deps, ask, planned)
      return { ...describePlan(deps.place(), planned), simulation: null }
    }
    const plannedAt = performance.now()
    const [simulation] = await Promise.all([
      simulatePlanned(deps.simulator, planned, { fund: ask.body.fund, approvals: 'as planned' }),
      store(deps, ask, planned),
    ])
    planned.timings['simulate'] = ms(performance.now() - plannedAt)
    refuseSimulation(simulation, plan)
    const steps = withUsedGas(plan.steps, simulation)
    return { ...describePlan(deps.place(), planned, steps), simulation: simulationJson(simulation, plan) }
  })
}

/** live/build: the same without its simulation. */
export function buildTrade(deps: PrepareDeps, ask: Ask): Promise<PlanAnswer> {
  return recordingRefusals(deps, ask, async (onQuote) => {
    const planned = await planForWallet(deps, ask, onQuote)
    await store(deps, ask, planned)
    return describePlan(deps.place(), planned)
  })
}

/** Plans for the key's own wallet, with the atoms of an earlier call where this is the second one. */
export async function planForWallet(
  deps: PrepareDeps,
  { body, caller }: Ask<TradeBody | (SimulateBody & { wallet: string })>,
  onQuote?: (quote: TradeQuote) => void,
): Promise<Planned> {
  const address = walletOf(deps.crypto, caller, body.wallet)
  const { trade, terms } = readTrade(deps, body, { caller, feeWallet: address })
  const placeOf = (anchorS: number): PermitPlace => ({
    wallet: address,
    tokenIn: trade.tokenIn,
    tokenOut: trade.tokenOut,
    anchorS,
    size: trade.notionalUsd === undefined ? `${trade.amountIn}` : `$${trade.notionalUsd}`,
  })
  const asked = terms.permit.kind === 'signed' ? deps.permits.recall(placeOf(terms.permit.nowS)) : undefined
  const { notionalUsd, ...sized } = trade
  const planned = await deps.planTrade({
    trade: asked ? { ...sized, amountIn: asked.amountIn } : trade,
    terms: asked
      ? { ...terms, granted: asked.granted, ...(notionalUsd !== undefined && { notionalUsd }) }
      : terms,
    wallet: { kind: 'real', address },
    ...(onQuote && { onQuote }),
  })
  const { plan } = planned
  if (plan.permit && plan.permitNowS !== null && !plan.complete) {
    const kept = { amountIn: planned.ask.quote.amountIn, granted: plan.permit.details.amount }
    deps.permits.remember(placeOf(plan.permitNowS), kept)
  }
  return planned
}

/** What is not stored is not relayed. A plan that waits for a signature stores the approvals before it. */
async function store({ storePlan }: PrepareDeps, { caller }: Ask, { plan, ask }: Planned): Promise<void> {
  if (plan.steps.every(({ tx }) => tx === null)) return
  // The wallet was found to be the key's, so there is one.
  await storePlan({ keyId: caller.key!.keyId, wallet: ask.wallet.wallet, path: 'agent', plan })
}

/** These are about the request's own words, or about a token that is none. */
const UNRECORDED: ReadonlySet<string> = new Set(['TOKEN_UNKNOWN', 'TOKEN_NOT_ALLOWED', 'SAME_TOKEN'])

/** A trade that was refused is shown among the wallet's calls; a malformed or hurried request is not. */
async function recordingRefusals<T>(
  { recordRefusal }: PrepareDeps,
  { body, caller }: Ask,
  run: (onQuote: (quote: TradeQuote) => void) => Promise<T>,
): Promise<T> {
  let quote: TradeQuote | undefined
  try {
    return await run((priced) => {
      quote = priced
    })
  } catch (error) {
    if (isPitError(error) && isTradeRefusal(error) && caller.key?.wallet) {
      recordRefusal({
        keyId: caller.key.keyId,
        wallet: caller.key.wallet satisfies Address,
        path: 'agent',
        code: error.code,
        tokenIn: body.token_in,
        tokenOut: body.token_out,
        amountIn: quote?.amountIn ?? (body.amount_in === undefined ? null : BigInt(body.amount_in)),
      })
    }
    throw error
  }
}

const isTradeRefusal = ({ status, code }: PitError): boolean =>
  (status === 409 || status === 422) && !UNRECORDED.has(code)
