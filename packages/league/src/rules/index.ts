export { type Book, type BookTrade, emptyBook, inOrder } from './book/book.ts'
export type { SeenBalance } from './book/cutToSeen.ts'
export { decodeBook, encodeBook, type StoredBook } from './book/encode.ts'
export { advance, replay } from './book/replay.ts'
export { sampleTo } from './book/sample.ts'
export { clusterOwners } from './clusters.ts'
export { type Copying, findCopies, type SeenSwap } from './copies.ts'
export { firstDifference } from './difference.ts'
export {
  type EntryFacts,
  isReviewable,
  type ReadStatus,
  type Review,
  RULE_NAMES,
  type RuleResult,
  type RuleStatus,
} from './eligibility.ts'
export { groupBy } from './groupBy.ts'
export type { ClusterLink } from './links.ts'
export {
  type EndMark,
  endMarkOf,
  FIXED_END,
  type MarketRecord,
  type MinuteMark,
  markAt,
  markCertainS,
} from './marks.ts'
export { DIVISIONS, type Division, RULES } from './numbers.ts'
export type { Party } from './party.ts'
export { type Outcome, rankEntries } from './places.ts'
export { readRecord, type SeasonRecord } from './readRecord.ts'
export { type ChainFacts, rebuildSeason } from './rebuildSeason.ts'
export {
  LEDGER_COLUMNS,
  type LedgerRow,
  ledgerTexts,
  readLedger,
  readStake,
  type StakeRow,
} from './record.ts'
export * from './recordParts.ts'
export { asRecorded, type Difference, publishedDifference, recountSeason } from './recount.ts'
export { capAtoms, countLedger, type Ledger, splitBudget } from './reserve.ts'
export { CURRENT_RULES, RULES_VERSION, type RuleSet, ruleSetOf } from './ruleSets.ts'
export { type ScoredRow, scoreRow } from './scoreRow.ts'
export {
  type BookNumbers,
  type EntryRecord,
  type JudgedEntry,
  type JudgedSeason,
  judgeSeason,
  numbersOf,
  rankedProfit,
} from './season.ts'
export {
  mondayOf,
  nextSeasonAt,
  nextState,
  type OpenedState,
  readFirstSeason,
  type SeasonSpan,
  seasonAt,
  seasonDay,
  seasonName,
  seasonOf,
} from './seasons.ts'
export { seenIn } from './seenIn.ts'
