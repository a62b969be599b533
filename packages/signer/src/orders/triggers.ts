import type { FeedRound, Trigger } from '@pit/chain'
import type { Failure } from '../checks.ts'

/** A round of a feed, and what held at its time. */
export interface TriggerRound extends FeedRound {
  /** The issuer had stopped the feed in its block; null if that block can no longer be read. */
  isPaused: boolean | null
  /** A multiplier took effect after it. */
  isBeforeMultiplier: boolean
}

/** The co-signer's reading of a trigger's token. */
export type TriggerReading =
  /** Null for a round that the feed does not have. */
  | { kind: 'rounds'; rounds: readonly (TriggerRound | null)[] }
  /** The 30-minute mean; null without a fresh one. */
  | { kind: 'mean'; priceE18: bigint | null }
  | { kind: 'unread' }

/**
 * Why a trigger is not met; null if it is. Rounds must be later than `sinceMs`: the registration, the
 * order's start and, for an exit, the first settled fill of its entry; null before that fill.
 */
export function triggerFault(
  trigger: Trigger,
  reading: TriggerReading,
  { sinceMs, nowMs }: { sinceMs: number | null; nowMs: number },
): Failure | null {
  if (trigger.kind === 'none') return null
  if (sinceMs === null) return { message: 'The order’s entry has no settled fill.' }
  if (reading.kind === 'unread') return { message: 'The co-signer could not read the trigger’s feed.' }
  if (reading.kind === 'mean') {
    if (trigger.kind === 'trailing') return { message: 'A trailing trigger needs a feed with rounds.' }
    if (nowMs <= sinceMs) return { message: 'The order has not started.', ...secondsOf(nowMs, sinceMs) }
    return reading.priceE18 === null
      ? { message: 'The trigger’s token has no fresh price.' }
      : priceFault(trigger, reading.priceE18)
  }
  const count = trigger.kind === 'trailing' ? 2 : 1
  const { rounds } = reading
  if (rounds.length !== count)
    return { message: 'The trigger needs this many rounds of its feed.', value: rounds.length, limit: count }
  for (const round of rounds) {
    const fault = roundFault(round, sinceMs, nowMs)
    if (fault) return fault
  }
  const [first, second] = rounds as readonly FeedRound[]
  if (trigger.kind !== 'trailing') return priceFault(trigger, first!.priceE18)
  if (second!.updatedAtS <= first!.updatedAtS)
    return { message: 'The earlier round comes first.', value: second!.updatedAtS, limit: first!.updatedAtS }
  const limit = first!.priceE18 * BigInt(10_000 - trigger.trailBps)
  return second!.priceE18 * 10_000n <= limit
    ? null
    : {
        message: 'The price has not fallen that far, in dollars times 10^18.',
        value: second!.priceE18.toString(),
        limit: (limit / 10_000n).toString(),
      }
}

/** Clocks differ a little. */
const MAX_AHEAD_MS = 120_000

const secondsOf = (valueMs: number, limitMs: number) => ({
  value: Math.floor(valueMs / 1000),
  limit: Math.floor(limitMs / 1000),
})

function roundFault(round: TriggerRound | null, sinceMs: number, nowMs: number): Failure | null {
  if (round === null) return { message: 'The feed has no such round.' }
  const atMs = round.updatedAtS * 1000
  if (atMs <= sinceMs)
    return {
      message: 'The round is not later than the registration, the start and the entry’s first fill.',
      ...secondsOf(atMs, sinceMs),
    }
  if (atMs > nowMs + MAX_AHEAD_MS)
    return { message: 'The round is from the future.', ...secondsOf(atMs, nowMs) }
  if (round.isPaused === null) return { message: 'The co-signer could not read the round’s block.' }
  if (round.isPaused) return { message: 'The issuer had paused the feed at the round’s time.' }
  return round.isBeforeMultiplier ? { message: 'A multiplier took effect after the round.' } : null
}

function priceFault({ kind, priceE18: limit }: Trigger, value: bigint): Failure | null {
  if (kind === 'at_or_below' ? value <= limit : value >= limit) return null
  return {
    message: `The price is not ${kind.replaceAll('_', ' ')} the trigger’s, in dollars times 10^18.`,
    value: value.toString(),
    limit: limit.toString(),
  }
}
