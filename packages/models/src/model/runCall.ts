import { type BrainResult, type Decision, plainText, readDecision } from '@pit/brains'
import { usdOf, usdText } from '@pit/protocol'
import type { CallDeps, DecisionInput } from '../deps.ts'
import { type Settlement, settle } from '../money/ledger.ts'
import { callModel, type ModelCall } from './callModel.ts'
import { type CountedCost, countCost } from './cost.ts'
import type { GatewayModel } from './modelList.ts'
import { aiSettingsOf, type ModelRequest } from './prompt.ts'

/** `hold`: the model has not run; another payer may be tried. */
export type Outcome = { kind: 'done'; result: BrainResult } | { kind: 'hold'; code: string }

export interface PaidCall extends ModelRequest {
  key: string
  /** Owner of the key, for rate-limit pauses. */
  payer: string
  source: 'pool' | 'own'
  model: GatewayModel
  boundMicroUsd: bigint
  poolHold: string | undefined
  spendId: number
}

const LAST_REASON_CHARS = 280
/** Refusals that any other payer would get too, so no other one is tried. */
const FAILED = new Set(['PARTNER_UNREACHABLE', 'PARTNER_REJECTED', 'MODEL_NOT_ALLOWED'])

/** Makes a reserved call and settles it. */
export async function runCall(deps: CallDeps, request: DecisionInput, call: PaidCall): Promise<Outcome> {
  const startedMs = deps.clock.nowMs()
  const leftMs = request.deadlineMs - startedMs
  const { url, cost: costPlaces } = deps.gateway as NonNullable<CallDeps['gateway']>
  const modelCall = await callModel({
    gatewayUrl: url,
    cost: costPlaces,
    key: call.key,
    body: call.body,
    timeoutMs: Math.max(1, Math.min(deps.patienceMs, leftMs)),
  })
  const ms = Math.round(deps.clock.nowMs() - startedMs)
  if (modelCall.kind === 'refused') return endRefused(deps, call, modelCall, ms)
  if (modelCall.kind === 'lost') {
    // The tick's deadline passed before the model's timeout.
    const late = modelCall.code === 'PARTNER_TIMEOUT' && leftMs < deps.patienceMs
    const code = late ? 'AI_LATE' : modelCall.code
    await settleCall(deps, call, { ...ENDED, status: 'error', code, ms, cost: boundCost(call) })
    const message = `The model’s response was lost: ${modelCall.message}. Its maximum cost counts as spent.`
    const result = { kind: late ? ('hold' as const) : ('error' as const), code, message }
    return { kind: 'done', result: { ...result, data: dataOf(call, boundCost(call), ENDED, ms) } }
  }
  const cost = countCost(call.model, modelCall.stated, call)
  const verdict = readAnswer(request, modelCall, cost, deps.clock.nowMs())
  await settleCall(deps, call, { ...modelCall.stated, status: verdict.status, code: verdict.code, ms, cost })
  return { kind: 'done', result: { ...verdict.result, data: dataOf(call, cost, modelCall.stated, ms) } }
}

const ENDED = { promptTokens: null, completionTokens: null } as const
const FREE: CountedCost = { microUsd: 0n, source: 'bound', overBound: false }
const boundCost = (call: PaidCall): CountedCost => ({
  microUsd: call.boundMicroUsd,
  source: 'bound',
  overBound: false,
})

async function endRefused(
  deps: CallDeps,
  call: PaidCall,
  refused: Extract<ModelCall, { kind: 'refused' }>,
  ms: number,
): Promise<Outcome> {
  const refusedKey = call.source === 'pool' ? 'AI_POOL_UNAVAILABLE' : 'CONNECT_ERROR'
  const code = refused.code === 'KEY_REFUSED' ? refusedKey : refused.code
  if (code === 'PARTNER_RATE') deps.rateLimited.pause(call.payer, refused.retryAfterS)
  const failed = FAILED.has(code)
  await settleCall(deps, call, { ...ENDED, status: failed ? 'error' : 'hold', code, ms, cost: FREE })
  if (!failed) return { kind: 'hold', code }
  const message = `The gateway rejected the call: ${refused.message}.`
  return { kind: 'done', result: { kind: 'error', code, message, data: dataOf(call, FREE, ENDED, ms) } }
}

interface Judged {
  status: Settlement['status']
  code: string | null
  result: BrainResult
}

/** Reads the decision of an answered call; the call is paid for in any case. */
function readAnswer(
  { agent, market, deadlineMs }: DecisionInput,
  { content, why }: Extract<ModelCall, { kind: 'answered' }>,
  cost: CountedCost,
  nowMs: number,
): Judged {
  const refuse = (status: 'invalid' | 'error', code: string, message: string): Judged => ({
    status,
    code,
    result: { kind: 'error', code, message },
  })
  if (cost.overBound) {
    return refuse(
      'error',
      'COST_BOUND',
      `The vendor reports a cost of ${usdText(usdOf(cost.microUsd))} for the call, more than its maximum.`,
    )
  }
  if (content === null) return refuse('invalid', 'AI_MALFORMED', `No decision: ${why}.`)
  const read = readDecision(content, {
    pairs: agent.pairs,
    tokens: agent.tokens.map(({ token }) => token),
    maxTradeMicroUsd: agent.limits.maxTradeMicroUsd,
    maxOrders: aiSettingsOf(agent.params).maxOrders,
  })
  if (!read.ok) return refuse('invalid', read.code, read.message)
  if (nowMs > deadlineMs) {
    const message = 'The model answered after the tick’s deadline.'
    return { status: 'ok', code: 'AI_LATE', result: { kind: 'hold', code: 'AI_LATE', message } }
  }
  const decision = { ...read.decision, state: { last: lastDecisionState(read.decision, market.atS) } }
  return { status: 'ok', code: null, result: { kind: 'decision', decision } }
}

/** The last decision, shown to the model as data. */
const lastDecisionState = ({ orders, reason }: Decision, atS: number) => ({
  at: atS,
  reason: plainText(reason, LAST_REASON_CHARS),
  orders: orders.map(({ pair, side, microUsd }) => ({ pair, side, usd: usdOf(microUsd) })),
})

async function settleCall(
  deps: CallDeps,
  call: PaidCall,
  end: Pick<Settlement, 'status' | 'code' | 'promptTokens' | 'completionTokens' | 'ms'> & {
    cost: CountedCost
  },
): Promise<void> {
  deps.count(end.code ?? 'ok')
  const { cost, status, code, promptTokens, completionTokens, ms } = end
  const costSource = cost.microUsd === 0n && cost.source === 'bound' ? null : cost.source
  const settlement = {
    status,
    code,
    promptTokens,
    completionTokens,
    ms,
    costSource,
    costMicroUsd: cost.microUsd,
  }
  try {
    await settle(deps.db, call.spendId, settlement)
  } catch (error) {
    // The row keeps its worst case, which is at least the actual cost.
    deps.logger.warn({ err: error, spend: call.spendId }, 'failed to settle a model call')
  }
}

const dataOf = (
  call: PaidCall,
  cost: CountedCost,
  tokens: { promptTokens: number | null; completionTokens: number | null },
  ms: number,
) => ({
  model: call.model.id,
  source: call.source,
  cost_usd: usdOf(cost.microUsd),
  cost_source: cost.source,
  prompt_tokens: tokens.promptTokens,
  completion_tokens: tokens.completionTokens,
  ms,
  ...(call.poolHold === undefined ? {} : { pool_hold: call.poolHold }),
})
