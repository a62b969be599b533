import type { BrainResult } from '@pit/brains'
import { AI_FAILED_CALL_CODES, AI_HOLD_CODES, microUsdDown } from '@pit/protocol'
import { mayUseOwnKey } from '../agent.ts'
import type { CallDeps, DecisionInput } from '../deps.ts'
import { recordNoCall, reserve } from '../money/ledger.ts'
import { AI } from '../numbers.ts'
import { boundOf } from './cost.ts'
import type { GatewayModel } from './modelList.ts'
import { buildRequest, type ModelRequest } from './prompt.ts'
import { type Outcome, runCall } from './runCall.ts'

type Source = 'pool' | 'own'
/** Minimum time left for a call; a shorter one would be paid for and fail. */
const MIN_MS = 2_000

/** Holds that paying with the owner's own key would not avoid. */
const NO_FALLBACK = new Set(['AI_BUDGET', 'AI_LATE', 'PARTNER_BUSY'])
const NO_OWN_KEY = new Set(['NOT_CONNECTED', 'DISCONNECTED'])

/**
 * Calls the model if a payer is available. Reserves the worst case first and settles the actual cost
 * afterwards.
 */
export async function decideByModel(deps: CallDeps, input: DecisionInput): Promise<BrainResult> {
  const { agent } = input
  const funding: Source = agent.params['funding'] === 'own' ? 'own' : 'pool'
  const stop = (kind: 'hold' | 'error', code: string, model: string | null = null) =>
    endWithoutCall(deps, input, { kind, code, source: funding, model })

  if (deps.gateway === null) return stop('hold', 'AI_OFF')
  if (input.deadlineMs - deps.clock.nowMs() < MIN_MS) return stop('hold', 'AI_LATE')
  const models = await deps.gateway.models.read()
  if (models === null) return stop('error', 'PARTNER_UNAVAILABLE')
  const model = modelFor(agent.params['model'], models)
  if (model === undefined) return stop('error', 'MODEL_NOT_ALLOWED', String(agent.params['model'] ?? ''))

  const request = buildRequest(input, model.id)
  const boundMicroUsd = boundOf(model, request)
  const budgetMicroUsd = microBudgetOf(agent.params)
  if (boundMicroUsd > budgetMicroUsd) return stop('error', 'COST_BOUND', model.id)

  const call = { request, model, boundMicroUsd, budgetMicroUsd }
  const mayFallBack = funding === 'pool' && mayUseOwnKey(agent)
  const first = await trySource(deps, input, funding, call)
  if (first.kind === 'done') return first.result
  if (!mayFallBack || NO_FALLBACK.has(first.code)) return stop('hold', first.code, model.id)

  const second = await trySource(deps, input, 'own', { ...call, poolHold: first.code })
  if (second.kind === 'done') return second.result
  if (NO_OWN_KEY.has(second.code)) return stop('hold', first.code, model.id)
  return { ...(await stop('hold', second.code, model.id)), data: { pool_hold: first.code } }
}

interface WantedCall {
  request: ModelRequest
  model: GatewayModel
  boundMicroUsd: bigint
  budgetMicroUsd: bigint
  poolHold?: string
}

async function trySource(
  deps: CallDeps,
  input: DecisionInput,
  source: Source,
  call: WantedCall,
): Promise<Outcome> {
  const key = await keyOf(deps, input, source)
  if ('code' in key) return { kind: 'hold', code: key.code }
  const payer = source === 'pool' ? 'pool' : input.agent.wallet
  if (deps.rateLimited.isPaused(payer)) return { kind: 'hold', code: 'PARTNER_RATE' }
  if (!deps.slots.take()) return { kind: 'hold', code: 'PARTNER_BUSY' }
  try {
    const reservation = await reserveFrom(deps, input, source, call)
    if ('hold' in reservation) return { kind: 'hold', code: reservation.hold }
    const { request, model, boundMicroUsd, poolHold } = call
    const paid = { ...request, key: key.key, payer, source, model, boundMicroUsd, poolHold }
    return await runCall(deps, input, { ...paid, spendId: reservation.id })
  } finally {
    deps.slots.give()
  }
}

async function keyOf(
  { gateway, ownKey }: CallDeps,
  { agent }: DecisionInput,
  source: Source,
): Promise<{ key: string } | { code: string }> {
  if (source === 'own') return ownKey(agent.wallet)
  return gateway === null || gateway.poolKey === null ? { code: 'AI_POOL_OFF' } : { key: gateway.poolKey }
}

async function reserveFrom(
  deps: CallDeps,
  { agent, tick }: DecisionInput,
  source: Source,
  { model, boundMicroUsd, budgetMicroUsd }: WantedCall,
): Promise<{ id: number } | { hold: string }> {
  const request = { agent, tick, model, source, boundMicroUsd, budgetMicroUsd, atMs: deps.clock.nowMs() }
  try {
    const network = await deps.networkOf(agent.id)
    return await reserve(deps.db, { ...request, network }, deps.terms)
  } catch (error) {
    if (source === 'own') throw error
    deps.logger.warn({ err: error, agent: agent.id }, 'failed to read the AI pool')
    return { hold: 'AI_POOL_UNAVAILABLE' }
  }
}

/** The requested model, or the cheapest one that supports structured output. */
export function modelFor(id: unknown, models: readonly GatewayModel[]): GatewayModel | undefined {
  const structured = models.filter((model) => model.structured)
  if (typeof id === 'string' && id !== '') return structured.find((model) => model.id === id)
  const dearness = (model: GatewayModel) => 4 * model.inputUsd + model.outputUsd
  return structured.reduce<GatewayModel | undefined>(
    (best, model) => (best === undefined || dearness(model) < dearness(best) ? model : best),
    undefined,
  )
}

const MEANINGS: Record<string, string> = {
  ...AI_HOLD_CODES,
  ...Object.fromEntries(Object.entries(AI_FAILED_CALL_CODES).map(([code, row]) => [code, row.meaning])),
}
export const meaningOf = (code: string): string => MEANINGS[code] ?? code
export const skippedMessage = (code: string): string => `The model was not called: ${meaningOf(code)}.`

async function endWithoutCall(
  deps: CallDeps,
  { agent, tick }: DecisionInput,
  end: { kind: 'hold' | 'error'; code: string; source: Source; model: string | null },
): Promise<BrainResult & { kind: 'hold' | 'error' }> {
  deps.count(end.code)
  const { kind, code, source, model } = end
  await recordNoCall(deps.db, {
    agent,
    tick,
    atMs: deps.clock.nowMs(),
    source,
    model,
    status: kind,
    code,
  }).catch((error: unknown) => deps.logger.warn({ err: error, agent: agent.id }, 'failed to store a hold'))
  return { kind, code, message: skippedMessage(code) }
}

export const microBudgetOf = (params: Record<string, unknown>): bigint =>
  microUsdDown(typeof params['budget_usd_day'] === 'number' ? params['budget_usd_day'] : AI.budgetDefaultUsd)
