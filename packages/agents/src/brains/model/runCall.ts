import { type Decision, plainText, readDecision } from '@pit/brains'
import { usdOf } from '@pit/protocol'
import type { Brained, BrainRequest, ModelDeps } from '../deps.ts'
import { type Settlement, settle } from '../money/ledger.ts'
import { callModel, type ModelCall } from './callModel.ts'
import { type CountedCost, countCost } from './cost.ts'
import type { GatewayModel } from './models.ts'
import { aiSettingsOf, type ModelRequest } from './prompt.ts'

/** `hold`: the model has not run, and another source may pay. */
export type Outcome = { kind: 'done'; brained: Brained } | { kind: 'hold'; code: string }

export interface PaidCall extends ModelRequest {
  key: string
  /** Whose key it is, for its rests. */
  payer: string
  source: 'pool' | 'own'
  model: GatewayModel
  boundMicroUsd: bigint
  poolHold: string | undefined
  spendId: number
}

const LAST_REASON_CHARS = 280
/** Refusals after which nothing traded and nobody else is asked: they would be refused too. */
const FAILED = new Set(['PARTNER_UNREACHABLE', 'PARTNER_REJECTED', 'MODEL_NOT_ALLOWED'])

/** Makes a reserved call and settles it. */
export async function runCall(deps: ModelDeps, request: BrainRequest, call: PaidCall): Promise<Outcome> {
  const startedMs = deps.clock.nowMs()
  const leftMs = request.deadlineMs - startedMs
  const { url, cost: costPlaces } = deps.gateway as NonNullable<ModelDeps['gateway']>
  const done = await callModel({
    gatewayUrl: url,
    cost: costPlaces,
    key: call.key,
    body: call.body,
    timeoutMs: Math.max(1, Math.min(deps.patienceMs, leftMs)),
  })
  const ms = Math.round(deps.clock.nowMs() - startedMs)
  if (done.kind === 'refused') return endRefused(deps, call, done, ms)
  if (done.kind === 'lost') {
    // The tick's time ran out before the model's did.
    const late = done.code === 'PARTNER_TIMEOUT' && leftMs < deps.patienceMs
    const code = late ? 'AI_LATE' : done.code
    await settleCall(deps, call, { ...ENDED, status: 'error', code, ms, cost: boundCost(call) })
    const message = `The model’s answer was lost: ${done.message}. Its worst case counts as spent.`
    const brained = { kind: late ? ('hold' as const) : ('error' as const), code, message }
    return { kind: 'done', brained: { ...brained, data: dataOf(call, boundCost(call), ENDED, ms) } }
  }
  const cost = countCost(call.model, done.stated, call)
  const judged = readAnswer(request, done, cost, deps.clock.nowMs())
  await settleCall(deps, call, { ...done.stated, status: judged.status, code: judged.code, ms, cost })
  return { kind: 'done', brained: { ...judged.brained, data: dataOf(call, cost, done.stated, ms) } }
}

const ENDED = { promptTokens: null, completionTokens: null } as const
const FREE: CountedCost = { microUsd: 0n, source: 'bound', overBound: false }
const boundCost = (call: PaidCall): CountedCost => ({
  microUsd: call.boundMicroUsd,
  source: 'bound',
  overBound: false,
})

async function endRefused(
  deps: ModelDeps,
  call: PaidCall,
  refused: Extract<ModelCall, { kind: 'refused' }>,
  ms: number,
): Promise<Outcome> {
  const refusedKey = call.source === 'pool' ? 'AI_POOL_UNAVAILABLE' : 'CONNECT_ERROR'
  const code = refused.code === 'KEY_REFUSED' ? refusedKey : refused.code
  if (code === 'PARTNER_RATE') deps.resting.rest(call.payer, refused.retryAfterS)
  const failed = FAILED.has(code)
  await settleCall(deps, call, { ...ENDED, status: failed ? 'error' : 'hold', code, ms, cost: FREE })
  if (!failed) return { kind: 'hold', code }
  const message = `The gateway refused the call: ${refused.message}.`
  return { kind: 'done', brained: { kind: 'error', code, message, data: dataOf(call, FREE, ENDED, ms) } }
}

interface Judged {
  status: Settlement['status']
  code: string | null
  brained: Brained
}

/** What an answered call decides; it is paid for either way. */
function readAnswer(
  { agent, market, deadlineMs }: BrainRequest,
  { content, why }: Extract<ModelCall, { kind: 'answered' }>,
  cost: CountedCost,
  nowMs: number,
): Judged {
  const refuse = (status: 'invalid' | 'error', code: string, message: string): Judged => ({
    status,
    code,
    brained: { kind: 'error', code, message },
  })
  if (cost.overBound) {
    return refuse(
      'error',
      'COST_BOUND',
      `The vendor says the call cost ${usdOf(cost.microUsd)} dollars, more than it can have.`,
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
    const message = 'The model answered after the tick’s time was over.'
    return { status: 'ok', code: 'AI_LATE', brained: { kind: 'hold', code: 'AI_LATE', message } }
  }
  const decision = { ...read.decision, state: { last: remembered(read.decision, market.atS) } }
  return { status: 'ok', code: null, brained: { kind: 'decision', decision } }
}

/** What the model is shown of its last decision, as data like the rest. */
const remembered = ({ orders, reason }: Decision, atS: number) => ({
  at: atS,
  reason: plainText(reason, LAST_REASON_CHARS),
  orders: orders.map(({ pair, side, microUsd }) => ({ pair, side, usd: usdOf(microUsd) })),
})

async function settleCall(
  deps: ModelDeps,
  call: PaidCall,
  end: Pick<Settlement, 'status' | 'code' | 'promptTokens' | 'completionTokens' | 'ms'> & {
    cost: CountedCost
  },
): Promise<void> {
  deps.count(end.code ?? 'ok')
  const { cost, status, code, promptTokens, completionTokens, ms } = end
  const costSource = cost.microUsd === 0n && cost.source === 'bound' ? null : cost.source
  const settled = {
    status,
    code,
    promptTokens,
    completionTokens,
    ms,
    costSource,
    costMicroUsd: cost.microUsd,
  }
  try {
    await settle(deps.db, call.spendId, settled)
  } catch (error) {
    // The row keeps its worst case: more than was spent, never less.
    deps.logger.warn({ err: error, spend: call.spendId }, 'a model call could not be settled')
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
