import type { Trigger } from '@pit/chain'
import type { OrderFacts, TokenMark } from './types.ts'

export type Watched = Pick<OrderFacts, 'watchedFromS' | 'metRounds' | 'peak'>

/**
 * Applies the current round of the trigger's token. Only rounds after the order is watched count, none while
 * the issuer paused the price, and a met trigger stays met.
 */
export function meetTrigger(trigger: Trigger, watched: Watched, mark: TokenMark | undefined): Watched {
  const { watchedFromS, metRounds, peak } = watched
  if (metRounds !== null || watchedFromS === null) return watched
  if (trigger.kind === 'none') return { ...watched, metRounds: [] }
  if (!mark || mark.hold === 'paused' || mark.updatedAtS <= watchedFromS) return watched
  const { priceE18, round } = mark
  const rounds = round === null ? [] : [round]
  switch (trigger.kind) {
    case 'at_or_below':
      return priceE18 <= trigger.priceE18 ? { ...watched, metRounds: rounds } : watched
    case 'at_or_above':
      return priceE18 >= trigger.priceE18 ? { ...watched, metRounds: rounds } : watched
    case 'trailing':
      if (round === null) return watched
      if (peak === null || priceE18 > peak.priceE18) return { ...watched, peak: { priceE18, round } }
      if (BigInt(round) <= BigInt(peak.round)) return watched
      return priceE18 * 10_000n <= peak.priceE18 * BigInt(10_000 - trigger.trailBps)
        ? { ...watched, metRounds: [peak.round, round] }
        : watched
  }
}
