import type { Clock } from '@pit/platform/clock'
import { exchange, type HttpAnswer } from '@pit/platform/http'
import type { Logger } from '@pit/platform/monitoring'
import { type GatewayProfile, microUsdUp } from '@pit/protocol'

/** A gateway model and its price in trillionths of a dollar per token, rounded up. */
export interface GatewayModel {
  id: string
  inputPico: bigint
  outputPico: bigint
  /** Fee per call, in addition to tokens. */
  requestPico: bigint
  /** Dollars per million tokens, as shown. */
  inputUsd: number
  outputUsd: number
  /** Supports structured output (JSON schema); only these models are called. */
  structured: boolean
  contextTokens: number | null
}

export interface ModelList {
  /**
   * The model list, at most an hour old or at most `maxAgeMs`; null if unavailable. Refreshed every ten
   * minutes, or if older than `maxAgeMs`.
   */
  read(params?: { maxAgeMs: number }): Promise<readonly GatewayModel[] | null>
  /** The last list of any age; null before the first read. */
  last(): readonly GatewayModel[] | null
  /** Throws an error with a readable message if the gateway does not respond. */
  check(): Promise<void>
}

const FRESH_MS = 600_000
/** An older price may no longer be an upper bound. */
const USABLE_MS = 3_600_000
const REST_AFTER_FAILURE_MS = 10_000
/** How long a check result is cached. */
const CHECK_EVERY_MS = 15_000
const TIMEOUT_MS = 5_000
const MAX_BYTES = 4_000_000
const MAX_MODELS = 1_000
/** Non-zero prices below this (dollars per million tokens) must use another unit. */
const MIN_USD = 0.001

/** Unit of a gateway's prices, and the profile's price table. */
export type Prices = Pick<GatewayProfile, 'priced_per' | 'models'>

export function createModelList({
  gatewayUrl,
  prices,
  key,
  clock,
  logger,
  timeoutMs = TIMEOUT_MS,
}: {
  gatewayUrl: string
  prices: Prices
  key: string | null
  clock: Clock
  logger: Pick<Logger, 'warn'>
  timeoutMs?: number
}): ModelList {
  let list: { models: readonly GatewayModel[]; atMs: number } | null = null
  let restUntilMs = Number.NEGATIVE_INFINITY
  let asking: Promise<void> | null = null
  let lastCheck: { atMs: number; why: string | null } | null = null

  async function refresh(): Promise<void> {
    const answer = await exchange({
      method: 'GET',
      url: new URL(`${gatewayUrl}/models`),
      headers: key === null ? {} : { authorization: `Bearer ${key}` },
      timeoutMs,
      maxAnswerBytes: MAX_BYTES,
    })
    const models = answer.kind === 'answer' ? modelsOf(answer) : null
    if (models !== null) {
      list = { models, atMs: clock.nowMs() }
      lastCheck = { atMs: clock.nowMs(), why: null }
      return
    }
    restUntilMs = clock.nowMs() + REST_AFTER_FAILURE_MS
    const why = answer.kind === 'answer' ? `it returned status ${answer.status}` : answer.why
    lastCheck = { atMs: clock.nowMs(), why }
    logger.warn({ why }, 'failed to read the AI gateway’s models')
  }

  function modelsOf({ status, text }: HttpAnswer): GatewayModel[] | null {
    if (status === 200) return readModels(text, prices)
    // Some gateways have no model list; then use the profile's.
    return status === 404 && Object.keys(prices.models).length > 0 ? tableModels(prices) : null
  }

  function ask(): Promise<void> {
    asking ??= refresh().finally(() => {
      asking = null
    })
    return asking
  }

  return {
    async read(wanted) {
      const ageMs = () => (list === null ? Number.POSITIVE_INFINITY : clock.nowMs() - list.atMs)
      if (ageMs() >= (wanted?.maxAgeMs ?? FRESH_MS) && clock.nowMs() >= restUntilMs) await ask()
      return list !== null && ageMs() < (wanted?.maxAgeMs ?? USABLE_MS) ? list.models : null
    },
    last: () => list?.models ?? null,
    async check() {
      if (lastCheck === null || clock.nowMs() - lastCheck.atMs >= CHECK_EVERY_MS) await ask()
      if (lastCheck !== null && lastCheck.why !== null) throw new Error(lastCheck.why)
    },
  }
}

/**
 * Null if the text is not a model list. A row without a price uses the profile's; without that it is skipped,
 * as its cost has no bound.
 */
export function readModels(text: string, prices: Prices): GatewayModel[] | null {
  let rows: unknown
  try {
    rows = (JSON.parse(text) as { data?: unknown } | null)?.data
  } catch {
    return null
  }
  if (!Array.isArray(rows)) return null
  return rows.slice(0, MAX_MODELS).flatMap((row: unknown) => readModel(row, prices) ?? [])
}

const tableModels = (prices: Prices): GatewayModel[] =>
  Object.keys(prices.models).flatMap((id) => readModel({ id }, prices) ?? [])

function readModel(row: unknown, prices: Prices): GatewayModel | undefined {
  const { id, pricing, structured_outputs, supported_parameters, context_length } = (row ?? {}) as Record<
    string,
    unknown
  >
  if (typeof id !== 'string' || !/^[\x21-\x7e]{1,128}$/.test(id)) return undefined
  const listed = Object.hasOwn(prices.models, id) ? prices.models[id] : undefined
  const priced = readPrices(pricing, prices.priced_per) ?? listed
  if (priced === undefined) return undefined
  // If both have a price, the higher one counts.
  const inputUsd = Math.max(priced.input_usd, listed?.input_usd ?? 0)
  const outputUsd = Math.max(priced.output_usd, listed?.output_usd ?? 0)
  const parameters: unknown[] = Array.isArray(supported_parameters) ? supported_parameters : []
  return {
    id,
    inputUsd,
    outputUsd,
    // A dollar per million tokens is a million trillionths per token.
    inputPico: microUsdUp(inputUsd),
    outputPico: microUsdUp(outputUsd),
    requestPico: 'requestUsd' in priced ? microUsdUp(priced.requestUsd) * 1_000_000n : 0n,
    structured:
      structured_outputs === true || parameters.includes('structured_outputs') || listed?.structured === true,
    contextTokens: typeof context_length === 'number' && context_length > 0 ? context_length : null,
  }
}

/** Dollars per million tokens and per call; undefined without prices that bound a call. */
function readPrices(pricing: unknown, per: Prices['priced_per']) {
  const { input, output, prompt, completion, request } = (pricing ?? {}) as Record<string, unknown>
  // Two formats: `input`/`output` per million tokens or per token, `prompt`/`completion` per token.
  const input_usd = price(input, per === 'token' ? 1e6 : 1) ?? price(prompt, 1e6)
  const output_usd = price(output, per === 'token' ? 1e6 : 1) ?? price(completion, 1e6)
  const requestUsd = request === undefined ? 0 : price(request, 1)
  if (input_usd === undefined || output_usd === undefined || requestUsd === undefined) return undefined
  if ([input_usd, output_usd].some((usd) => usd > 0 && usd < MIN_USD)) return undefined
  return { input_usd, output_usd, requestUsd }
}

function price(value: unknown, times: number): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  if (typeof number !== 'number' || !Number.isFinite(number) || number < 0) return undefined
  const usd = Number((number * times).toPrecision(12))
  return usd <= 100_000 ? usd : undefined
}
