import type { Clock } from '@pit/platform/clock'
import { exchange, type HttpAnswer } from '@pit/platform/exchange'
import type { Logger } from '@pit/platform/logger'
import { type GatewayProfile, microUsdUp } from '@pit/protocol'

/** A model of the gateway with its price in trillionths of a dollar for a token, rounded up. */
export interface GatewayModel {
  id: string
  inputPico: bigint
  outputPico: bigint
  /** What every call costs besides. */
  requestPico: bigint
  /** Dollars per million tokens, as shown. */
  inputUsd: number
  outputUsd: number
  /** Answers to a JSON schema: only such a model can be asked. */
  structured: boolean
  contextTokens: number | null
}

export interface Models {
  /**
   * The list, at most an hour old, or no older than asked for; null when it cannot be had. It is asked for
   * anew every ten minutes, or when it is older than asked for.
   */
  read(params?: { maxAgeMs: number }): Promise<readonly GatewayModel[] | null>
  /** The last list read, of any age; null before the first. */
  last(): readonly GatewayModel[] | null
  /** Whether the gateway answers; throws in words when not. */
  check(): Promise<void>
}

const FRESH_MS = 600_000
/** An older price may no longer bound a call. */
const USABLE_MS = 3_600_000
const REST_AFTER_FAILURE_MS = 10_000
/** How long an answer, or the lack of one, says how the gateway is. */
const CHECK_EVERY_MS = 15_000
const TIMEOUT_MS = 5_000
const MAX_BYTES = 4_000_000
const MAX_MODELS = 1_000
/** No model is cheaper, in dollars per million tokens, unless it is free: the price is per something else. */
const MIN_USD = 0.001

/** How a gateway's prices are read, and those of the profile. */
export type Prices = Pick<GatewayProfile, 'priced_per' | 'models'>

export function createModels({
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
}): Models {
  let list: { models: readonly GatewayModel[]; atMs: number } | null = null
  let restUntilMs = Number.NEGATIVE_INFINITY
  let asking: Promise<void> | null = null
  let asked: { atMs: number; why: string | null } | null = null

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
      asked = { atMs: clock.nowMs(), why: null }
      return
    }
    restUntilMs = clock.nowMs() + REST_AFTER_FAILURE_MS
    const why = answer.kind === 'answer' ? `it answered ${answer.status}` : answer.why
    asked = { atMs: clock.nowMs(), why }
    logger.warn({ why }, 'the AI gateway’s models could not be read')
  }

  function modelsOf({ status, text }: HttpAnswer): GatewayModel[] | null {
    if (status === 200) return readModels(text, prices)
    // Some gateways have no list: then the profile's is all there is.
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
      if (asked === null || clock.nowMs() - asked.atMs >= CHECK_EVERY_MS) await ask()
      if (asked !== null && asked.why !== null) throw new Error(asked.why)
    },
  }
}

/**
 * Null when the text is no list of models. A row without a price has the profile's, and is left out without one
 * there: nothing bounds its cost.
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
  const known = Object.hasOwn(prices.models, id) ? prices.models[id] : undefined
  const priced = readPrices(pricing, prices.priced_per) ?? known
  if (priced === undefined) return undefined
  // The dearer counts where both say.
  const inputUsd = Math.max(priced.input_usd, known?.input_usd ?? 0)
  const outputUsd = Math.max(priced.output_usd, known?.output_usd ?? 0)
  const parameters: unknown[] = Array.isArray(supported_parameters) ? supported_parameters : []
  return {
    id,
    inputUsd,
    outputUsd,
    // A dollar per million tokens is a million trillionths a token.
    inputPico: microUsdUp(inputUsd),
    outputPico: microUsdUp(outputUsd),
    requestPico: 'requestUsd' in priced ? microUsdUp(priced.requestUsd) * 1_000_000n : 0n,
    structured:
      structured_outputs === true || parameters.includes('structured_outputs') || known?.structured === true,
    contextTokens: typeof context_length === 'number' && context_length > 0 ? context_length : null,
  }
}

/** Dollars per million tokens and per call; undefined without a price that bounds a call. */
function readPrices(pricing: unknown, per: Prices['priced_per']) {
  const { input, output, prompt, completion, request } = (pricing ?? {}) as Record<string, unknown>
  // Two customs: `input` and `output` per million tokens or per token, `prompt` and `completion` per token.
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
