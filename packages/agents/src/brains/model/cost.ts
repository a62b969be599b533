import { divUp, microUsdUp } from '@pit/protocol'
import type { GatewayModel } from './models.ts'

/** What an answer says it took. */
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
  /** The vendor says it took more than can have been asked for. */
  overBound: boolean
}

/** Each message costs a few tokens beyond its text. */
const TOKENS_PER_MESSAGE = 16n
/** Fewer tokens than one in so many characters are not believed. */
const MAX_CHARS_PER_TOKEN = 8
/** More than any call costs; a larger figure is counted as this. */
const MAX_USD = 1e6

const microOfPico = (pico: bigint): bigint => divUp(pico, 1_000_000n)
/** Rounded up; fifteen digits, as a vendor's own sums of doubles are a little off behind them. */
const microOfUsd = (usd: number): bigint => microUsdUp(Number(Math.min(usd, MAX_USD).toPrecision(15)))

/** The most a call can cost: no token is shorter than a byte, and no answer longer than it was allowed. */
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
 * What is counted for an answered call: what the vendor says, unless it is less than its own tokens cost at
 * its own prices; without a word of it, the bound. Never less than was charged by a vendor that counts its
 * tokens right.
 */
export function countCost(
  model: GatewayModel,
  stated: StatedCost,
  call: { boundMicroUsd: bigint; promptChars: number },
): CountedCost {
  const bound: CountedCost = { microUsd: call.boundMicroUsd, source: 'bound', overBound: false }
  const said = stated.usage ?? stated.header
  if (said === null) return bound
  const microUsd = microOfUsd(said)
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
