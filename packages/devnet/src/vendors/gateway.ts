import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { answerContent, type Choice } from './answerContent.ts'
import { type Schema, strictProblem } from './fillSchema.ts'
import { COST_HEADER, type GatewayStyle } from './gatewayStyles.ts'
import { costUsd, countTokens, type KeyKind, kindOfKey, MODELS, type Model, modelList } from './models.ts'
import { VENDOR_MODES, type VendorModes, type VendorState } from './modes.ts'
import { json, misbehave, problem, type Reply, readBody } from './reply.ts'

/** Actual charges per key, for comparison with the caller's count. */
export interface GatewayLedger {
  calls: number
  costUsd: number
}

export interface GatewayDeps {
  modes: VendorModes
  nowMs: () => number
  ledger: Map<string, GatewayLedger>
}

interface ChatRequest {
  model: string
  messages: { role: string; content: string }[]
  maxTokens: number
  schema: Schema | undefined
}

const bearer = (request: IncomingMessage): string =>
  /^Bearer\s+(\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? ''

/** A call that reached the model is charged even if its response never arrives. */
const CHARGED_FAULTS = new Set(['down', 'hang', 'error', 'malformed', 'oversized'])

const outOfCredit = () => problem(402, 'insufficient_credit', 'The balance is spent; add credit.')
const unknownKey = () => problem(401, 'invalid_api_key', 'The key is not known.')

const KEY_REFUSALS: Partial<Record<KeyKind, () => Reply>> = {
  broke: outOfCredit,
  limited: () => problem(429, 'rate_limited', 'Too many requests for this key.', { 'retry-after': '11' }),
}

function contentText(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part) => (part && typeof part.text === 'string' ? part.text : '')).join('\n')
}

function parseChat(text: string): ChatRequest | Reply {
  let body: Record<string, unknown>
  try {
    body = JSON.parse(text)
  } catch {
    return problem(400, 'invalid_request_error', 'The body is not JSON.')
  }
  if (typeof body?.model !== 'string') return problem(400, 'invalid_request_error', 'model is required.')
  if (!Array.isArray(body.messages) || body.messages.length === 0) {
    return problem(400, 'invalid_request_error', 'messages is required.')
  }
  if (body.stream === true) return problem(400, 'invalid_request_error', 'stream is not offered.')
  const format = body.response_format as { type?: string; json_schema?: Schema } | undefined
  const jsonSchema = format?.type === 'json_schema' ? format.json_schema : undefined
  if (format?.type === 'json_schema' && typeof jsonSchema?.schema !== 'object') {
    return problem(400, 'invalid_request_error', 'response_format.json_schema.schema is required.')
  }
  const schema = jsonSchema?.schema as Schema | undefined
  const flaw = schema && jsonSchema?.strict === true ? strictProblem(schema) : undefined
  if (flaw) return problem(400, 'invalid_request_error', `Invalid schema for strict mode: ${flaw}`)
  const limit = Number(body.max_completion_tokens ?? body.max_tokens ?? 4_096)
  return {
    model: body.model,
    messages: body.messages.map((m) => ({ role: String(m?.role ?? ''), content: contentText(m?.content) })),
    maxTokens: Number.isFinite(limit) && limit > 0 ? Math.floor(limit) : 4_096,
    schema,
  }
}

/** `partner/small:slow` is partner/small in mode slow, for this call only. */
function modelAndMode(name: string, deps: GatewayDeps): { model: Model; state: VendorState } | undefined {
  const [id, suffix] = name.split(':')
  const model = MODELS.find((row) => row.id === id)
  if (!model || (suffix !== undefined && !(suffix in VENDOR_MODES.gateway))) return undefined
  return { model, state: suffix ? { mode: suffix, options: {} } : deps.modes.take('gateway') }
}

function charge(deps: GatewayDeps, key: string, model: Model, prompt: number, completion: number): number {
  const cost = costUsd(model, prompt, completion)
  const row = deps.ledger.get(key) ?? { calls: 0, costUsd: 0 }
  deps.ledger.set(key, { calls: row.calls + 1, costUsd: Math.round((row.costUsd + cost) * 1e9) / 1e9 })
  return cost
}

function cut(choice: Choice, maxTokens: number): Choice {
  if (choice.content === null || countTokens(choice.content) <= maxTokens) return choice
  return { ...choice, content: choice.content.slice(0, maxTokens * 4), finish: 'length' }
}

const STATED_COST: Record<string, (cost: number) => number> = { lying_cost: () => 0, huge_cost: () => 1_000 }

async function chat(
  deps: GatewayDeps,
  { key, style }: { key: string; style: GatewayStyle },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Reply | 'silent'> {
  const parsed = parseChat(await readBody(request))
  if ('status' in parsed) return parsed
  const chosen = modelAndMode(parsed.model, deps)
  if (!chosen)
    return problem(404, 'model_not_found', `The model ${parsed.model.slice(0, 80)} does not exist.`)
  const { model, state } = chosen
  if (parsed.schema && !model.structured) {
    return problem(400, 'invalid_request_error', `${model.id} does not support json_schema.`)
  }
  if (state.mode === 'broke') return outOfCredit()
  if (state.mode === 'unauthorized') return unknownKey()
  const prompt = parsed.messages.map((m) => m.content).join('\n')
  const promptTokens = countTokens(prompt)
  if (promptTokens > model.contextTokens) {
    return problem(
      400,
      'context_length_exceeded',
      `${promptTokens} tokens; the model takes ${model.contextTokens}.`,
    )
  }
  const choice = cut(answerContent(prompt, parsed.schema, state.mode), parsed.maxTokens)
  const completionTokens = countTokens(choice.content ?? choice.refusal ?? '')
  if (CHARGED_FAULTS.has(state.mode)) charge(deps, key, model, promptTokens, completionTokens)
  const fault = await misbehave(request, response, state)
  if (fault) return fault
  const cost = charge(deps, key, model, promptTokens, completionTokens)
  const stated = (STATED_COST[state.mode] ?? ((usd: number) => usd))(cost)
  const saysCost = state.mode !== 'no_cost'
  const costIn = style.costIn(model)
  const digest = createHash('sha256').update(`${model.id}:${prompt}`).digest('hex').slice(0, 24)
  return json(
    200,
    {
      id: `chatcmpl-${digest}`,
      object: 'chat.completion',
      created: Math.floor(deps.nowMs() / 1000),
      model: model.id,
      choices: [
        {
          index: 0,
          finish_reason: choice.finish,
          message: { role: 'assistant', content: choice.content, refusal: choice.refusal },
        },
      ],
      ...(saysCost && {
        usage: {
          prompt_tokens: promptTokens,
          completion_tokens: completionTokens,
          total_tokens: promptTokens + completionTokens,
          ...(costIn === 'usage' && { cost: stated }),
        },
      }),
    },
    saysCost && costIn === 'header' ? { [COST_HEADER]: stated.toFixed(9) } : {},
  )
}

/** Everything under /v1: models, chat/completions, key; under another name in that gateway's style. */
export async function serveGateway(
  deps: GatewayDeps,
  { style, path }: { style: GatewayStyle; path: string },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Reply | 'silent'> {
  const key = bearer(request)
  const kind = kindOfKey(key)
  if (path === '/v1/models' && request.method === 'GET') {
    // Only a completion counts `times` down, not a read of the list.
    const fault = await misbehave(request, response, deps.modes.peek('gateway'))
    return (
      fault ?? (style.list ? json(200, modelList(style.list)) : problem(404, 'not_found', 'No such path.'))
    )
  }
  if (!kind) return unknownKey()
  if (path === '/v1/key' && request.method === 'GET') {
    const spent = deps.ledger.get(key) ?? { calls: 0, costUsd: 0 }
    return json(200, { label: `${key.slice(0, 12)}…`, kind, calls: spent.calls, spent_usd: spent.costUsd })
  }
  if (path !== '/v1/chat/completions' || request.method !== 'POST')
    return problem(405, 'method_not_allowed', 'POST it.', { allow: 'POST' })
  return KEY_REFUSALS[kind]?.() ?? chat(deps, { key, style }, request, response)
}
