import { DAY_S } from '@pit/protocol'

/** Numbers that the public contract leaves open; its own are `LEAGUE` in the protocol. */

/** Account divisions; the practice board accepts one of them. */
export const DIVISIONS = ['crypto', 'stocks'] as const
export type Division = (typeof DIVISIONS)[number]

export const RULES = {
  prizeCapUsd: 5_000,
  /** How long eligibility stays open to review, and when a season is decided in any case. */
  reviewS: 3 * DAY_S,
  reviewLatestS: 14 * DAY_S,
  /** The mark of a time is the newest of the hour before it; a minute's is written a little after it. */
  markMaxAgeS: 3_600,
  markLateS: 15,
  /** Drawdown is measured at every full hour. */
  sampleEveryS: 3_600,
  /** The season's end price is the median of its last day, if at least this many of its hours have a mark. */
  endHours: 12,
  /** A last mark this far from the median is flagged for manual review. */
  endDivergenceBps: 1_000,
  /** Value that left the wallet before a sample is flagged above this; gas and rounding are less. */
  unseenNoiseMicroUsd: 20_000_000n,
  /** A trade this far from the marks of its minute is an outlier. */
  outlierBps: 1_000,
  /** Profit that no independent mark confirms is flagged above this share of all profit and this amount. */
  beyondMarksShareBps: 5_000,
  beyondMarksNoiseMicroUsd: 20_000_000n,
  minTrades: 3,
  minActiveDays: 2,
  /** A round trip sells back within this time about the amount just bought. */
  roundTripWindowS: 300,
  roundTripNearBps: 200,
  minRoundTrips: 3,
  roundTripShareBps: 5_000,
  /** A copy follows the same entrant's trade of the same tokens within this time. */
  copyWindowS: 60,
  minCopies: 5,
  copyShareBps: 8_000,
  /** And it copies at least this share of the leader's trades: a busy leader is followed by chance. */
  copiedShareBps: 2_000,
  practiceDivision: 'crypto',
} as const
