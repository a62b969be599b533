import { dollarsText, microUsdDown } from '@pit/protocol'
import { Value } from '@sinclair/typebox/value'
import { DECISION_SCHEMA, type DecisionAnswer, STATE_MAX_CHARS } from './decisionSchema.ts'
import { MIN_ORDER_MICRO_USD } from './purse.ts'
import { isPlainObject, parseOneObject } from './strictJson.ts'
import { plainText } from './text.ts'
import type { Decision, Order } from './types.ts'

export type DecisionFault = 'AI_MALFORMED' | 'AI_SCHEMA' | 'AI_TOKEN' | 'AI_PAIR' | 'AI_SIZE' | 'AI_TOO_MANY'

export interface DecisionRequest {
  /** The agent's own pairs: nothing else can be ordered. */
  pairs: readonly string[]
  /** Their ends, as the pairs name them. */
  tokens: readonly string[]
  maxTradeMicroUsd: bigint
  maxOrders: number
  /** Only a webhook keeps a state of its own. */
  takesState?: boolean
}

export type DecisionReading =
  /** `keepsState`: nothing was said of the state, so the one there is stays. */
  { ok: true; decision: Decision; keepsState: boolean } | { ok: false; code: DecisionFault; message: string }

const refuse = (code: DecisionFault, message: string): DecisionReading => ({ ok: false, code, message })

/** The largest answer read at all. */
const MAX_CHARS = 65_536

/**
 * What a webhook or a model answered, re-checked from nothing: whatever was asked of the sender, only the
 * agent's own pairs, a side and dollars inside the limits come through. Text of the answer is never more than
 * a shown reason.
 */
export function readDecision(answer: unknown, request: DecisionRequest): DecisionReading {
  const text = typeof answer === 'string' ? answer : undefined
  if (text !== undefined && text.length > MAX_CHARS) return refuse('AI_MALFORMED', 'The answer is too long.')
  const value = text === undefined ? answer : parseOneObject(text)
  if (!isPlainObject(value)) return refuse('AI_MALFORMED', 'The answer is not one JSON object.')
  const listed = value['orders']
  if (Array.isArray(listed) && listed.length > request.maxOrders) {
    return refuse('AI_TOO_MANY', `${listed.length} orders; at most ${request.maxOrders} are allowed.`)
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
    if (request.takesState !== true) return 'state is not a field of this answer.'
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
    return { code: 'AI_TOKEN', message: `${plainText(foreign, 64)} is in none of the agent's pairs.` }
  }
  return { code: 'AI_PAIR', message: `${plainText(pair, 80)} is not one of the agent's pairs.` }
}

function sizeFault(usd: number, { maxTradeMicroUsd }: DecisionRequest): Fault | undefined {
  // A dollar amount beyond any limit would leave the exact integers.
  const fits = Number.isFinite(usd) && Math.abs(usd) < 1e9
  const microUsd = fits ? microUsdDown(usd) : undefined
  if (microUsd !== undefined && microUsd >= MIN_ORDER_MICRO_USD && microUsd <= maxTradeMicroUsd)
    return undefined
  return { code: 'AI_SIZE', message: `${usd} dollars is outside $1.00 to ${dollarsText(maxTradeMicroUsd)}.` }
}
