import { dollarsText, microUsdDown, usdText } from '@pit/protocol'
import { Value } from '@sinclair/typebox/value'
import { DECISION_SCHEMA, type DecisionAnswer, STATE_MAX_CHARS } from './decisionSchema.ts'
import { MIN_ORDER_MICRO_USD } from './purse.ts'
import { isPlainObject, parseOneObject } from './strictJson.ts'
import { plainText } from './text.ts'
import type { Decision, Order } from './types.ts'

export type DecisionFault = 'AI_MALFORMED' | 'AI_SCHEMA' | 'AI_TOKEN' | 'AI_PAIR' | 'AI_SIZE' | 'AI_TOO_MANY'

export interface DecisionRequest {
  /** The agent's own pairs; no other can be ordered. */
  pairs: readonly string[]
  /** Tokens of the pairs, as written there. */
  tokens: readonly string[]
  maxTradeMicroUsd: bigint
  maxOrders: number
  /** Only webhooks have their own state. */
  takesState?: boolean
}

export type DecisionReading =
  /** `keepsState`: the answer has no state, so the stored one is kept. */
  { ok: true; decision: Decision; keepsState: boolean } | { ok: false; code: DecisionFault; message: string }

const refuse = (code: DecisionFault, message: string): DecisionReading => ({ ok: false, code, message })

/** Maximum size of an answer. */
const MAX_CHARS = 65_536

/**
 * Validates an untrusted answer of a webhook or a model: only the agent's own pairs, a side and dollars
 * within the limits pass. Text of the answer is only used as the displayed reason.
 */
export function readDecision(answer: unknown, request: DecisionRequest): DecisionReading {
  const text = typeof answer === 'string' ? answer : undefined
  if (text !== undefined && text.length > MAX_CHARS) return refuse('AI_MALFORMED', 'The answer is too long.')
  const value = text === undefined ? answer : parseOneObject(text)
  if (!isPlainObject(value)) return refuse('AI_MALFORMED', 'The answer is not one JSON object.')
  const listed = value['orders']
  if (Array.isArray(listed) && listed.length > request.maxOrders) {
    return refuse('AI_TOO_MANY', `${listed.length} orders exceed the maximum of ${request.maxOrders}.`)
  }
  const problem = schemaProblem(value, request)
  if (problem !== undefined) return refuse('AI_SCHEMA', problem)

  const { orders, reason, state } = value as unknown as DecisionAnswer
  const read: Order[] = []
  for (const [index, order] of orders.entries()) {
    const fault = pairFault(order.pair, request) ?? sizeFault(order.usd, request)
    if (fault !== undefined) return refuse(fault.code, `Order ${index + 1}: ${fault.message}`)
    read.push({
      pair: order.pair,
      side: order.side,
      microUsd: microUsdDown(order.usd),
      reason: plainText(order.reason),
    })
  }
  const decision = { orders: read, reason: plainText(reason), state: state ?? null }
  return { ok: true, decision, keepsState: state === undefined }
}

function schemaProblem(value: Record<string, unknown>, request: DecisionRequest): string | undefined {
  if (value['state'] !== undefined) {
    if (request.takesState !== true) return 'state is not allowed in this answer.'
    if (JSON.stringify(value['state']).length > STATE_MAX_CHARS) return 'state is too large.'
  }
  const error = Value.Errors(DECISION_SCHEMA, value).First()
  if (error === undefined) return undefined
  const where = plainText(error.path.slice(1).replaceAll('/', '.'), 80)
  return `${where === '' ? 'the answer' : where}: ${error.message.toLowerCase()}.`
}

type Fault = { code: DecisionFault; message: string }

function pairFault(pair: string, { pairs, tokens }: DecisionRequest): Fault | undefined {
  if (pairs.includes(pair)) return undefined
  const foreign = pair.split('/').find((end) => !tokens.includes(end))
  if (foreign !== undefined && foreign !== '') {
    return { code: 'AI_TOKEN', message: `${plainText(foreign, 64)} is not a token of the agent's pairs.` }
  }
  return { code: 'AI_PAIR', message: `${plainText(pair, 80)} is not one of the agent's pairs.` }
}

function sizeFault(usd: number, { maxTradeMicroUsd }: DecisionRequest): Fault | undefined {
  // Larger amounts would not be exact integers.
  const fits = Number.isFinite(usd) && Math.abs(usd) < 1e9
  const microUsd = fits ? microUsdDown(usd) : undefined
  if (microUsd !== undefined && microUsd >= MIN_ORDER_MICRO_USD && microUsd <= maxTradeMicroUsd)
    return undefined
  return { code: 'AI_SIZE', message: `${usdText(usd)} is outside $1.00 to ${dollarsText(maxTradeMicroUsd)}.` }
}
