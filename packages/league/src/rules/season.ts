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

/** A book's results, as shown in a standings row. */
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
  /** Gains that no independent mark confirms, of both kinds; a loss of one kind does not reduce the other. */
  beyondMarksMicroUsd: bigint
  roundTrips: number
  /** Value that left the wallet before any sample saw it. */
  unseenMicroUsd: bigint
  /** Holdings whose last mark is far from the end's median. */
  divergent: number
}

export function numbersOf(
  book: Book,
  atS: number,
  market: MarketRecord,
  when: 'running' | 'ended',
  /** The wallet's balances at the end; until they are read the book counts in full. */
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

/** The record of an entry that a season is judged by. */
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
  /** Whether an entry that would win has an open rule; computed on call. */
  undecidedWinner(): boolean
  /** Whether an entry would win whose owner could not be read. */
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
