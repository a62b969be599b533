import type { Book } from './book/book.ts'
import type { SeenBalance } from './book/cutToSeen.ts'
import { valueBook } from './book/valueBook.ts'
import { type Cluster, clusterOwners } from './clusters.ts'
import type { Copying } from './copies.ts'
import { type EntryFacts, judgeEntry, type Review } from './eligibility.ts'
import type { MarketRecord } from './marks.ts'
import type { Party } from './party.ts'
import {
  type Candidate,
  hasUndecidedWinner,
  hasUnreadWinner,
  type Outcome,
  type Placed,
  placeEntries,
  rankEntries,
} from './places.ts'
import type { RuleSet } from './ruleSets.ts'

/** What a book comes to: all that a standings row says of it. */
export interface BookNumbers {
  profitMicroUsd: bigint | null
  capitalMicroUsd: bigint
  returnBps: number | null
  maxDrawdownBps: number
  trades: number
  activeDays: number
  unvalued: number
  unknownGas: number
  openUnpriced: number
  outliers: number
  /** Gains that no independent mark shows; what was lost that way is not taken off the other. */
  beyondMarksMicroUsd: bigint
  roundTrips: number
  /** What left the wallet before any sample saw it there. */
  unseenMicroUsd: bigint
  /** Holdings whose last mark is far from the end's median. */
  divergent: number
}

export function numbersOf(
  book: Book,
  atS: number,
  market: MarketRecord,
  when: 'running' | 'ended',
  /** What the wallet held at the end; until that is read the book counts as it is. */
  seen?: SeenBalance,
): BookNumbers {
  return {
    ...valueBook(book, atS, market, when, seen),
    maxDrawdownBps: book.maxDrawdownBps,
    trades: book.trades,
    activeDays: book.days.size,
    unknownGas: book.unknownGas,
    outliers: book.outliers,
    beyondMarksMicroUsd: gainOf(book.overMarksMicroUsd) + gainOf(book.unmarkedGainMicroUsd),
    roundTrips: book.roundTrips,
    unseenMicroUsd: book.unseenMicroUsd,
  }
}

const gainOf = (microUsd: bigint): bigint => (microUsd > 0n ? microUsd : 0n)

/**
 * Profit that counts for the rank. Gains that no independent mark confirms are left out: an entrant can make
 * them with its own money in its own pool.
 */
export function rankedProfit(
  { profitMicroUsd, beyondMarksMicroUsd }: Pick<BookNumbers, 'profitMicroUsd' | 'beyondMarksMicroUsd'>,
  { ranksBy }: RuleSet,
): bigint | null {
  if (profitMicroUsd === null || ranksBy === 'profit') return profitMicroUsd
  return profitMicroUsd - beyondMarksMicroUsd
}

/** What is known of an entry beside its book. */
export interface EntryRecord {
  entryId: number
  party: Omit<Party, 'entryId'>
  numbers: BookNumbers
  facts: Pick<
    EntryFacts,
    | 'confirmed'
    | 'sanctioned'
    | 'left'
    | 'owner'
    | 'ownTokenSwaps'
    | 'participantSwaps'
    | 'transfers'
    | 'funders'
  >
  copying: Copying | null
  reviews: readonly Review[]
}

export interface JudgedEntry extends Placed {
  entryId: number
  rank: number
  cluster: Cluster
}

export interface JudgedSeason {
  /** In rank order. */
  rows: JudgedEntry[]
  outcome: Outcome
  /** Whether one who would win has an open question; looked at when asked. */
  undecidedWinner(): boolean
  /** Whether one would win whose owner could not be read. */
  unreadWinner(): boolean
}

/** Ranks, clusters, rules and places: one function for a running season, its decision and its check. */
export function judgeSeason(
  entries: readonly EntryRecord[],
  when: 'running' | 'ended',
  ruleSet: RuleSet,
): JudgedSeason {
  const parties = entries.map(({ entryId, party }) => ({ entryId, ...party }))
  const clusters = clusterOwners(parties, ruleSet)
  const candidates = entries.map(({ entryId, numbers, facts, copying, reviews }): Candidate => {
    const {
      profitMicroUsd,
      capitalMicroUsd,
      trades,
      activeDays,
      unvalued,
      unknownGas,
      outliers,
      roundTrips,
      beyondMarksMicroUsd,
      unseenMicroUsd,
      divergent,
    } = numbers
    const book = {
      trades,
      activeDays,
      unvalued,
      unknownGas,
      outliers,
      roundTrips,
      divergent,
      copying,
      ended: when === 'ended',
    }
    return {
      entryId,
      rankedMicroUsd: rankedProfit(numbers, ruleSet),
      capitalMicroUsd,
      left: facts.left,
      trades,
      cluster: clusters.get(entryId)!,
      results: judgeEntry(
        { ...facts, ...book, profitMicroUsd, beyondMarksMicroUsd, unseenMicroUsd },
        reviews,
      ),
      reviews,
    }
  })
  const ranked = rankEntries(candidates)
  const unread = new Set(
    entries.filter(({ facts }) => facts.owner === 'unreadable').map(({ entryId }) => entryId),
  )
  const { placed, outcome } = placeEntries(ranked, ruleSet)
  return {
    rows: ranked.map(({ entryId }, i) => ({
      entryId,
      rank: i + 1,
      cluster: clusters.get(entryId)!,
      ...placed.get(entryId)!,
    })),
    outcome,
    undecidedWinner: () => hasUndecidedWinner(ranked, ruleSet),
    unreadWinner: () => hasUnreadWinner(ranked, ruleSet, unread),
  }
}
