import { divUp, microUsdUp } from '@pit/protocol'
import type { GatewayModel } from './modelList.ts'

/** Usage and cost as reported in a response. */
export interface StatedCost {
  promptTokens: number | null
  completionTokens: number | null
  /** usage.cost, in dollars. */
  usage: number | null
  /** The vendor's cost header, in dollars. */
  header: number | null
}

export interface CountedCost {
  microUsd: bigint
  source: 'usage.cost' | 'header' | 'bound'
  /** The reported cost exceeds the bound of the call. */
  overBound: boolean
}

/** Overhead per message in tokens. */
const TOKENS_PER_MESSAGE = 16n
/** A token count below one per this many characters is treated as implausible. */
const MAX_CHARS_PER_TOKEN = 8
/** More than any call costs; larger figures are capped. */
const MAX_USD = 1e6

const microOfPico = (pico: bigint): bigint => divUp(pico, 1_000_000n)
/** Rounded up, after dropping the floating-point error of a vendor's sums (15 significant digits). */
const microOfUsd = (usd: number): bigint => microUsdUp(Number(Math.min(usd, MAX_USD).toPrecision(15)))

/**
 * Upper bound of a call's cost: a token is at least one byte, and the answer is at most its allowed length.
 */
export function boundOf(
  model: GatewayModel,
  call: { promptBytes: number; messages: number; maxTokens: number },
): bigint {
  const promptTokens = BigInt(call.promptBytes) + TOKENS_PER_MESSAGE * BigInt(call.messages)
  return microOfPico(
    model.requestPico + promptTokens * model.inputPico + BigInt(call.maxTokens) * model.outputPico,
  )
}

/**
 * Cost to count for an answered call: the vendor's figure, but at least its reported tokens at its own
 * prices. Without a figure, the bound. Never less than a vendor with a correct token count charged.
 */
export function countCost(
  model: GatewayModel,
  stated: StatedCost,
  call: { boundMicroUsd: bigint; promptChars: number },
): CountedCost {
  const bound: CountedCost = { microUsd: call.boundMicroUsd, source: 'bound', overBound: false }
  const reportedUsd = stated.usage ?? stated.header
  if (reportedUsd === null) return bound
  const microUsd = microOfUsd(reportedUsd)
  const source = stated.usage !== null ? 'usage.cost' : 'header'
  if (microUsd > call.boundMicroUsd) return { microUsd, source, overBound: true }
  const { promptTokens, completionTokens } = stated
  if (promptTokens === null || completionTokens === null) return bound
  if (promptTokens * MAX_CHARS_PER_TOKEN < call.promptChars) return bound
  const listed = microOfPico(
    model.requestPico + BigInt(promptTokens) * model.inputPico + BigInt(completionTokens) * model.outputPico,
  )
  if (listed > call.boundMicroUsd) return bound
  return microUsd < listed
    ? { microUsd: listed, source: 'bound', overBound: false }
    : { microUsd, source, overBound: false }
}
