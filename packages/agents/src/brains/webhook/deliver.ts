import { createHmac } from 'node:crypto'
import { type BrainResult, bookView, limitsView, marketView, readDecision } from '@pit/brains'
import { type Clock, nowS, withinMs } from '@pit/platform/clock'
import { exchange, type HttpAnswer, type NoAnswer } from '@pit/platform/http'
import { HOSTED, type WebhookCode } from '@pit/protocol'
import type { HostedAgent } from '../../types.ts'
import type { BrainRequest } from '../deps.ts'
import { findTarget, type Reach, type Resolve } from './target.ts'

/** Maximum orders in one response. */
export const WEBHOOK_MAX_ORDERS = 8
/** Marks of all pairs together; keeps a delivery within the size limit that also applies to responses. */
const MAX_POINTS = 960
const MAX_POINTS_OF_PAIR = 60
/** Minimum time left for a retry. */
const MIN_MS = 250

export interface WebhookDeps {
  clock: Clock
  resolve: Resolve
  reach: Reach
  timeoutMs?: number
  /** Trusted certificates in PEM; defaults to the system's. */
  ca?: string | undefined
}

type Attempt = { ok: true; text: string } | { ok: false; code: WebhookCode; message: string; again: boolean }

/** The same for every attempt of a tick by any worker, so that a receiver can detect duplicates. */
export const deliveryOf = (agent: Pick<HostedAgent, 'id'>, tick: number): string => `${agent.id}.${tick}`

export function deliveryBody({ agent, tick, market, book }: BrainRequest): string {
  const points = Math.min(MAX_POINTS_OF_PAIR, Math.floor(MAX_POINTS / Math.max(1, market.pairs.length)))
  return JSON.stringify({
    delivery: deliveryOf(agent, tick),
    agent: { id: agent.id, name: agent.name, mode: agent.mode, live: agent.live },
    at: market.atS,
    market: marketView(market, points),
    book: bookView(book),
    limits: limitsView(agent.limits, book, WEBHOOK_MAX_ORDERS),
    state: agent.brainState,
  })
}

/** Posts a tick to the owner's webhook, with one retry, and reads the decision. */
export async function deliver(
  deps: WebhookDeps,
  request: BrainRequest,
  secret: string,
): Promise<BrainResult> {
  const { agent, tick } = request
  const body = deliveryBody(request)
  const headers = { 'x-pit-delivery': deliveryOf(agent, tick) }
  const startedMs = deps.clock.nowMs()
  let tries = 0
  let attempt: Attempt
  do {
    tries += 1
    attempt = await tryOnce(deps, request, { body, secret, headers })
  } while (!attempt.ok && attempt.again && tries < 2 && request.deadlineMs - deps.clock.nowMs() > MIN_MS)
  const data = { delivery: deliveryOf(agent, tick), tries, ms: deps.clock.nowMs() - startedMs }
  if (!attempt.ok) return { kind: 'error', code: attempt.code, message: attempt.message, data }
  const read = readDecision(attempt.text, {
    pairs: agent.pairs,
    tokens: agent.tokens.map(({ token }) => token),
    maxTradeMicroUsd: agent.limits.maxTradeMicroUsd,
    maxOrders: WEBHOOK_MAX_ORDERS,
    takesState: true,
  })
  if (!read.ok) return { kind: 'error', code: read.code, message: read.message, data }
  const state = read.keepsState ? agent.brainState : read.decision.state
  return { kind: 'decision', decision: { ...read.decision, state }, data }
}

async function tryOnce(
  { clock, resolve, reach, ca, timeoutMs = HOSTED.webhookTimeoutMs }: WebhookDeps,
  { agent, deadlineMs }: BrainRequest,
  { body, secret, headers }: { body: string; secret: string; headers: Record<string, string> },
): Promise<Attempt> {
  const untilMs = Math.min(clock.nowMs() + timeoutMs, deadlineMs)
  // A hanging resolver must not hold up the tick.
  const target = await withinMs(
    untilMs - clock.nowMs(),
    findTarget(String(agent.params['url']), reach, resolve),
    () => new Error('late'),
  ).catch(() => undefined)
  if (target === undefined) return failed('WEBHOOK_TIMEOUT', 'DNS lookup timed out')
  if (!target.ok) {
    return target.gone
      ? failed('WEBHOOK_UNREACHABLE', target.why)
      : { ok: false, code: 'WEBHOOK_ADDRESS', message: noDecision(target.why), again: false }
  }
  const leftMs = untilMs - clock.nowMs()
  if (leftMs <= 0) return failed('WEBHOOK_TIMEOUT', 'the time for the decision was used up')
  const timestampS = nowS(clock)
  const answer = await exchange({
    method: 'POST',
    url: target.url,
    address: target.address,
    ca,
    headers: {
      ...headers,
      'content-type': 'application/json',
      'user-agent': 'Pit',
      'x-pit-timestamp': String(timestampS),
      'x-pit-signature': signDelivery(secret, timestampS, body),
    },
    body,
    timeoutMs: leftMs,
    maxAnswerBytes: HOSTED.webhookMaxAnswerBytes,
  })
  return readAnswer(answer)
}

function readAnswer(answer: HttpAnswer | NoAnswer): Attempt {
  if (answer.kind === 'timeout') return failed('WEBHOOK_TIMEOUT', answer.why)
  if (answer.kind === 'unreachable' || answer.kind === 'broken')
    return failed('WEBHOOK_UNREACHABLE', answer.why)
  if (answer.kind !== 'answer') {
    return { ok: false, code: 'WEBHOOK_ANSWER', message: noDecision(answer.why), again: false }
  }
  const { status, text } = answer
  if (status === 200) return { ok: true, text }
  if (status >= 300 && status < 400) {
    const message = noDecision(`it returned status ${status}; redirects are not followed`)
    return { ok: false, code: 'WEBHOOK_REDIRECT', message, again: false }
  }
  const message = noDecision(`it returned status ${status}`)
  return { ok: false, code: 'WEBHOOK_STATUS', message, again: status >= 500 || status === 429 }
}

const noDecision = (why: string): string => `The webhook returned no decision: ${why}.`
const failed = (code: WebhookCode, why: string): Attempt => ({
  ok: false,
  code,
  message: noDecision(why),
  again: true,
})

/** HMAC-SHA256 under the agent's secret over `timestamp.body`; the receiver recomputes it. */
export const signDelivery = (secret: string, timestampS: number, body: string): string =>
  `v1=${createHmac('sha256', secret).update(`${timestampS}.${body}`, 'utf8').digest('hex')}`
