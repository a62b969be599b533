import type { FeedRound, Trigger } from '@pit/chain'
import type { Failure } from '../checks.ts'

/** The co-signer's reading of a trigger's token. */
export type TriggerReading =
  /** Null for a round that the feed does not have. */
  | {
      kind: 'rounds'
      rounds: readonly (FeedRound | null)[]
      /** The issuer stopped the feed, or whether it did is unknown. */
      isPaused: boolean
      /** A multiplier took effect and no round came since. */
      isBetweenMultipliers: boolean
    }
  /** The 30-minute mean; null without a fresh one. */
  | { kind: 'mean'; priceE18: bigint | null }
  | { kind: 'unread' }

/** Why a trigger is not met; null if it is. Rounds must be later than the registration. */
export function triggerFault(
  trigger: Trigger,
  reading: TriggerReading,
  { registeredAtMs, nowS }: { registeredAtMs: number; nowS: number },
): Failure | null {
  if (trigger.kind === 'none') return null
  if (reading.kind === 'unread') return { message: 'The co-signer could not read the trigger’s feed.' }
  if (reading.kind === 'mean') {
    if (trigger.kind === 'trailing') return { message: 'A trailing trigger needs a feed with rounds.' }
    return reading.priceE18 === null
      ? { message: 'The trigger’s token has no fresh price.' }
      : priceFault(trigger, reading.priceE18)
  }
  if (reading.isPaused) return { message: 'The issuer paused the feed: no trigger is met.' }
  if (reading.isBetweenMultipliers)
    return { message: 'A multiplier took effect and the feed has no round since: no trigger is met.' }
  const count = trigger.kind === 'trailing' ? 2 : 1
  const { rounds } = reading
  if (rounds.length !== count)
    return { message: 'The trigger needs this many rounds of its feed.', value: rounds.length, limit: count }
  for (const round of rounds) {
    if (round === null) return { message: 'The feed has no such round.' }
    if (round.updatedAtS * 1000 <= registeredAtMs || round.updatedAtS > nowS + MAX_AHEAD_S)
      return {
        message: 'The round is not later than the registration, or is from the future.',
        value: round.updatedAtS,
        limit: Math.floor(registeredAtMs / 1000),
      }
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
const MAX_AHEAD_S = 120

function priceFault({ kind, priceE18: limit }: Trigger, value: bigint): Failure | null {
  if (kind === 'at_or_below' ? value <= limit : value >= limit) return null
  return {
    message: `The price is not ${kind.replaceAll('_', ' ')} the trigger’s, in dollars times 10^18.`,
    value: value.toString(),
    limit: limit.toString(),
  }
}
