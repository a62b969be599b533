import { isPlainObject } from '@pit/brains'
import { exchange, type HttpAnswer, type NoAnswer } from '@pit/platform/http'
import type { GatewayProfile } from '@pit/protocol'
import type { StatedCost } from './cost.ts'

const MAX_ANSWER_BYTES = 1_000_000
const MAX_TOKENS = 2_147_483_647

/**
 * How a call ended. `refused`: it did not run and cost nothing. `lost`: it may have run, so the worst case
 * counts.
 */
export type ModelCall =
  | { kind: 'answered'; content: string | null; why: string; stated: StatedCost }
  | { kind: 'refused'; code: RefusedCall; retryAfterS: number | null; message: string }
  | { kind: 'lost'; code: 'PARTNER_TIMEOUT' | 'PARTNER_GATEWAY_ERROR'; message: string }
export type RefusedCall =
  | 'KEY_REFUSED'
  | 'PARTNER_BALANCE'
  | 'PARTNER_RATE'
  | 'PARTNER_UNREACHABLE'
  | 'PARTNER_REJECTED'
  | 'MODEL_NOT_ALLOWED'

export type CostPlaces = GatewayProfile['cost']

export async function callModel(request: {
  gatewayUrl: string
  /** Where the vendor reports the cost of a call. */
  cost: CostPlaces
  key: string
  body: string
  timeoutMs: number
}): Promise<ModelCall> {
  const answer = await exchange({
    method: 'POST',
    url: new URL(`${request.gatewayUrl}/chat/completions`),
    headers: { authorization: `Bearer ${request.key}`, 'content-type': 'application/json' },
    body: request.body,
    timeoutMs: request.timeoutMs,
    maxAnswerBytes: MAX_ANSWER_BYTES,
  })
  return readCall(answer, request.cost)
}

export function readCall(answer: HttpAnswer | NoAnswer, cost: CostPlaces): ModelCall {
  if (answer.kind === 'unreachable') return refused('PARTNER_UNREACHABLE', answer.why)
  if (answer.kind === 'timeout') return { kind: 'lost', code: 'PARTNER_TIMEOUT', message: answer.why }
  if (answer.kind !== 'answer') return lost(answer.why)
  if (answer.status === 200) return readCompletion(answer, cost)
  const why = `it returned status ${answer.status}`
  if (answer.status === 401 || answer.status === 403) return refused('KEY_REFUSED', why)
  if (answer.status === 402) return refused('PARTNER_BALANCE', why)
  if (answer.status === 404) return refused('MODEL_NOT_ALLOWED', why)
  if (answer.status === 429) return refused('PARTNER_RATE', why, secondsOf(answer.headers['retry-after']))
  // A 408, or anything but a plain refusal, may be sent after the model ran.
  if (answer.status >= 400 && answer.status < 500 && answer.status !== 408)
    return refused('PARTNER_REJECTED', why)
  return lost(why)
}

const lost = (why: string): ModelCall => ({ kind: 'lost', code: 'PARTNER_GATEWAY_ERROR', message: why })
const refused = (code: RefusedCall, message: string, retryAfterS: number | null = null): ModelCall => ({
  kind: 'refused',
  code,
  retryAfterS,
  message,
})

const secondsOf = (header: string | undefined): number | null => {
  const seconds = Number(header)
  return header !== undefined && Number.isFinite(seconds) && seconds >= 0 ? seconds : null
}

function readCompletion({ text, headers }: HttpAnswer, cost: CostPlaces): ModelCall {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return lost('its response is not valid JSON')
  }
  const choices = isPlainObject(body) ? body['choices'] : undefined
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined
  const message = isPlainObject(choice) ? choice['message'] : undefined
  if (!isPlainObject(body) || !isPlainObject(choice) || !isPlainObject(message)) {
    return lost('its response is not a chat completion')
  }
  const usage = isPlainObject(body['usage']) ? body['usage'] : {}
  const stated: StatedCost = {
    promptTokens: tokensOf(usage['prompt_tokens']),
    completionTokens: tokensOf(usage['completion_tokens']),
    usage: cost.usage ? costOrNull(usage['cost']) : null,
    header: cost.header === null ? null : readDollars(headers[cost.header]),
  }
  const content = typeof message['content'] === 'string' ? message['content'] : null
  if (content === null) return { kind: 'answered', content, why: 'the model refused to answer', stated }
  // A truncated answer may still parse, but it is incomplete.
  if (choice['finish_reason'] === 'length') {
    return { kind: 'answered', content: null, why: 'the answer was truncated', stated }
  }
  return { kind: 'answered', content, why: '', stated }
}

const tokensOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_TOKENS ? value : null
const costOrNull = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null
/** Dollars in a header; null for anything but one amount, such as `None`. */
const readDollars = (text: string | string[] | undefined): number | null =>
  typeof text === 'string' && /^\d{1,9}(\.\d{1,30})?(e-\d{1,2})?$/i.test(text) ? Number(text) : null
