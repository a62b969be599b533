import { DAY_S } from '@pit/protocol'

/** The league's own numbers: what the documents leave open. Theirs are `LEAGUE` in the protocol. */

/** What an account trades; the practice board takes one of them. */
export const DIVISIONS = ['crypto', 'stocks'] as const
export type Division = (typeof DIVISIONS)[number]

export const RULES = {
  prizeCapUsd: 5_000,
  /** How long eligibility stays open to review, and when a season is decided whatever is still unreviewed. */
  reviewS: 3 * DAY_S,
  reviewLatestS: 14 * DAY_S,
  /** The mark of a time is the newest of the hour before it; a minute's is written a little after it. */
  markMaxAgeS: 3_600,
  markLateS: 15,
  /** Drawdown is measured at every full hour. */
  sampleEveryS: 3_600,
  /** The season's end price is the median of its last day, if so many of its hours have a mark. */
  endHours: 12,
  /** The last mark this far from it is for a person to look at. */
  endDivergenceBps: 1_000,
  /** What left the wallet before a sample saw it is flagged above this; gas and rounding are less. */
  unseenNoiseMicroUsd: 20_000_000n,
  /** A trade this far from the marks of its minute is an outlier. */
  outlierBps: 1_000,
  /** Profit that no independent mark shows is flagged above this share of all and this amount. */
  beyondMarksShareBps: 5_000,
  beyondMarksNoiseMicroUsd: 20_000_000n,
  minTrades: 3,
  minActiveDays: 2,
  /** A round trip sells back within this time about what was just bought. */
  roundTripWindowS: 300,
  roundTripNearBps: 200,
  minRoundTrips: 3,
  roundTripShareBps: 5_000,
  /** A copy follows the same entrant's trade of the same tokens within this time. */
  copyWindowS: 60,
  minCopies: 5,
  copyShareBps: 8_000,
  /** And it copies at least so much of what that entrant did: a busy leader is followed by chance. */
  copiedShareBps: 2_000,
  practiceDivision: 'crypto',
} as const
